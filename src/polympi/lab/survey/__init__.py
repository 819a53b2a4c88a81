"""Several hosts, looked at side by side: what each is like, how they differ, and how they reach each other."""

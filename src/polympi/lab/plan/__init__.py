"""What a run will do: profiles, cases, schedule, and the text of a plan."""

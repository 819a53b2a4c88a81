"""Many runs in order of time: when did a binding become slower?"""

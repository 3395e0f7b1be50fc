"""Does a robot at full speed stop, whatever becomes of its daemon?"""

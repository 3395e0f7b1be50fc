"""Abstract missions in batches: teams on the array equations of ALLIANCE, without bodies or a world round them."""

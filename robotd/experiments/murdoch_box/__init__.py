"""The box pushing of Gerkey and Mataric 2002 (section VI-B.2) as an experiment: five sets of trials."""

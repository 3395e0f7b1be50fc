import sys
from tests.motivation.cobos.abstract import *
pucks=tuple(int(x) for x in sys.argv[1].split(',')); seed=int(sys.argv[2]); lo,hi=float(sys.argv[3]),float(sys.argv[4])
w=World(pucks,seed)
from motivation.cobos import phases, allocation
orig=phases.Phases._follow
def f(self,known,part,tasks,result):
    if lo<=self.now<=hi: print(int(self.now),'r%d'%self.me,'home' if part.is_home else '', {r:(o.task,o.status,'R' if o.recruits else '',o.values) for r,o in part.members.items()}, [(t,part.record(t).required,part.record(t).performed) for t in tasks],'->',dict(result.tasks),'short',set(result.short),'next',result.next)
    orig(self,known,part,tasks,result)
phases.Phases._follow=f
while w.now<hi: w.beat()

"""The tools that a run can launch together with C."""

from polympi.lab.tools.imb import IMB_PINGPONG
from polympi.lab.tools.netpipe import NETPIPE
from polympi.lab.tools.osu import osu_tools

TOOLS = {tool.name: tool for tool in (NETPIPE, *osu_tools(), IMB_PINGPONG)}

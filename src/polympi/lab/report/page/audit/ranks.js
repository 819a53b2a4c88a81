// The bars by rank: hovering shows the figures of the rank.
const bars = document.getElementById("rank-bars");
if (bars) {
  const { names, hosts, seconds: whole, in_mpi: inside, kinds } = audit.ranks;
  withTip(bars, (x, _y, box) => {
    const place = Math.min(names.length - 1, Math.max(0, Math.floor((x / box.width) * names.length)));
    return [
      `rank ${names[place]} on ${hosts[place]}`,
      `${seconds(whole[place])}, of these ${seconds(inside[place])} in MPI`,
      ...kinds.filter(([, values]) => values[place] > 0).map(([name, values]) => `${name}: ${seconds(values[place])}`),
    ];
  });
}

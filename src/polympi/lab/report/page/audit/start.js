async function begin() {
  const picture = new Picture(document.getElementById("events"), new Events(audit.timeline, await unpacked(audit.timeline)));
  new Hands(picture);
  pictures.push(() => picture.draw());
  picture.draw();
}
applyTheme();
if (audit.timeline) begin();

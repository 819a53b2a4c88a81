applyTheme();
if (audit.timeline) timeline(document.getElementById("events"), audit.timeline);

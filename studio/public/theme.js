// Before the first paint: the colours chosen last.
const theme = localStorage.getItem("reverie-theme");
if (theme) document.documentElement.dataset.theme = theme;
// And whether the system asks for more contrast, with any colours.
const contrast = matchMedia("(prefers-contrast: more)");
const follow = () => document.documentElement.toggleAttribute("data-contrast", contrast.matches);
contrast.addEventListener("change", follow);
follow();

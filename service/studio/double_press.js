// A double press acts once: the second click of two is dropped, except on quiet buttons, with which one walks and leaves.
document.addEventListener('click', (event) => {
  const pressed = event.detail > 1 && event.target.closest?.('.btn:not(.quiet), .item');
  if (!pressed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);

// Keeps the keyboard where it was. A list is drawn anew when what it shows has changed, and takes the focused element
// with it: then its successor, the element of the same key, gets the focus, or else the one that stands in its place.
(() => {
  const lasts = new WeakMap(); // layer (the page, or an open dialog) → where the focus last was in it
  const layerOf = (element) => element.closest('.q-dialog') ?? document.body;
  const keyed = (layer) =>
    [...layer.querySelectorAll('[data-key]')].filter((one) => layerOf(one) === layer && !one.disabled);

  document.addEventListener('focusin', ({ target }) => {
    const layer = layerOf(target);
    if (target === document.body || target === layer) return;
    const place = keyed(layer).indexOf(target);
    if (place < 0) lasts.delete(layer);
    else lasts.set(layer, { key: target.dataset.key, place });
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!target.closest('[data-key]')) lasts.delete(layerOf(target));
  });
  const restore = () => {
    const focused = document.activeElement;
    if (focused && focused !== document.body && focused.isConnected) return;
    const layer = [...document.querySelectorAll('.q-dialog')].at(-1) ?? document.body;
    const last = lasts.get(layer);
    if (!last) return;
    const there = keyed(layer);
    const next = there.find((one) => one.dataset.key === last.key) ?? there[Math.min(last.place, there.length - 1)];
    next?.focus({ preventScroll: true });
  };
  addEventListener('DOMContentLoaded', () =>
    new MutationObserver(restore).observe(document.body, { childList: true, subtree: true })
  );
})();

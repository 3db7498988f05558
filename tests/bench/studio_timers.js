/* What is timed within a page of the Studio: by its own clock, in its own frames. */
window.timers = (() => {
  const CALM_MS = 50;
  const CALM_FRAMES = 3;
  const frame = () => new Promise(requestAnimationFrame);
  const isLoading = () => document.querySelector('[role="status"][aria-label="Loading…"]');

  /** The next press, by the clock of the page. */
  const press = () => new Promise((pressed) => {
    addEventListener('click', ({ timeStamp }) => pressed(timeStamp), { once: true, capture: true });
  });

  return {
    /** From the next press until the page of this title is shown, and until nothing on it is loading. */
    async arrival(title) {
      const start = await press();
      while (document.querySelector('h1')?.textContent !== title) await frame();
      const shown = performance.now() - start;
      do await frame(); while (isLoading());
      return { shown, loaded: performance.now() - start };
    },

    /** From the next press until an element is there, and until three frames in a row are short: the page answers. */
    async calm(selector) {
      const start = await press();
      while (!document.querySelector(selector)) await frame();
      const shown = performance.now() - start;
      let last = performance.now();
      for (let calm = 0; calm < CALM_FRAMES; ) {
        await frame();
        const now = performance.now();
        calm = now - last < CALM_MS ? calm + 1 : 0;
        last = now;
      }
      return { shown, usable: last - start };
    },

    /** The milliseconds of each frame for so long, while `step` is done in each. */
    async frames(ms, step = () => {}) {
      const taken = [];
      await frame();
      const start = performance.now();
      for (let last = start; last - start < ms; ) {
        step();
        await frame();
        const now = performance.now();
        taken.push(now - last);
        last = now;
      }
      return taken;
    },

    /** The same, while a list is scrolled by so many pixels a frame. */
    scrolling(label, pixels, ms) {
      const list = document.querySelector(`ul[aria-label="${label}"]`).parentElement;
      return this.frames(ms, () => { list.scrollTop += pixels; });
    },

    /** When the first text was painted, after the page was asked for. */
    paint: () => new Promise((painted) => {
      new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') painted(startTime);
      }).observe({ type: 'paint', buffered: true });
    }),

    /** When an element has this text, after the page was asked for. */
    async seen(selector, text) {
      while (!document.querySelector(selector)?.textContent.includes(text)) await frame();
      return performance.now();
    },

    /** The time of day at which the sign-in page is shown. */
    async signedOut() {
      while (!document.querySelector('input[type="password"]')) await new Promise((wake) => setTimeout(wake, 1));
      return performance.timeOrigin + performance.now();
    },

    /** The time of day of the next press. */
    pressed: async () => performance.timeOrigin + (await press()),
  };
})();

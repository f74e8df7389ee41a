export function replay(app) {
  app.main.replaceChildren();
  return () => {};
}

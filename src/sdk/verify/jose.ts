/** Loads jose on first use. It is an ES module only, which CommonJS can `require` only from Node 20.19 and 22.12 on. */
let loading: Promise<typeof import('jose')> | undefined

export function loadJose(): Promise<typeof import('jose')> {
  loading ??= import('jose')
  return loading
}

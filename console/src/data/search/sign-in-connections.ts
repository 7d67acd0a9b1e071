/** The state of the page that sets a connection up, as its address has it. */
type SetupSearch = { connection?: string }

export function setupSearch({ connection }: Record<string, unknown>): SetupSearch {
  return typeof connection === 'string' && connection !== '' ? { connection } : {}
}

/** The state of the page that sets a connection up, as its address has it. */
type SetupSearch = {
  connection?: string
  /** For a new one: the product and the name to begin with. */
  provider?: string
  name?: string
  /** The ID of the organization that it is for. */
  organization?: string
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export function setupSearch(search: Record<string, unknown>): SetupSearch {
  const names = ['connection', 'provider', 'name', 'organization'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = textOf(search[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

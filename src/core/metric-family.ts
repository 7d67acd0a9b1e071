/** A metric family: one name with its samples, collected when a scrape asks for it. */
export type Family = {
  /** By Prometheus' conventions: with its base unit, and `_total` if it only increases. */
  name: `rollbook_${string}`
  help: string
  type: 'gauge' | 'counter'
  labels: readonly string[]
  /** The current samples; undefined if they are unknown, and then the family is left out. */
  read(): Reading | Promise<Reading>
}

export type Reading = number | readonly Sample[] | undefined

export type Sample = { labels: Readonly<Record<string, string | number>>; value: number }

type Names = readonly string[]

export function gauge(name: Family['name'], help: string, read: Family['read'], labels: Names = []): Family {
  return { name, help, type: 'gauge', labels, read }
}

export function counter(name: Family['name'], help: string, read: Family['read'], labels: Names = []): Family {
  return { name, help, type: 'counter', labels, read }
}

/** Returns a sample per member of an object, labelled with its name. */
export function each(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

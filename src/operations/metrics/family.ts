/** What is told of one thing, under one name; it is asked for when somebody looks. */
export type Family = {
  /** After Prometheus' conventions: with its base unit, and `_total` when it only grows. */
  name: `rollbook_${string}`
  help: string
  type: 'gauge' | 'counter'
  labels: readonly string[]
  /** What it is now; undefined when that is not known, and then nothing is told. */
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

/** A sample for each member of an object, named by a label. */
export function each(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

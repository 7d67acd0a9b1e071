/** What Prometheus reads, for tests: its text format taken apart. */
import assert from 'node:assert/strict'
import type { Metrics } from '../src/operations/metrics/metrics.ts'
import type { Started } from './harness.ts'

export type Sample = { name: string; labels: Record<string, string>; value: number }
export type Scrape = {
  text: string
  samples: Sample[]
  /** Every name that has a HELP and a TYPE, with its type. */
  families: Map<string, string>
  /** The one sample with these labels, and perhaps more; otherwise undefined. */
  value(name: string, labels?: Record<string, string>): number | undefined
}

export async function scrape(app: Pick<Started, 'call'>): Promise<Scrape> {
  const response = await app.call('GET', '/metrics')
  assert.equal(response.status, 200, response.text)
  return parseScrape(response.text)
}

/** Past the API, as on the port of its own. */
export async function look({ metrics }: { metrics: Metrics }): Promise<Scrape> {
  return parseScrape((await metrics.scrape()).text)
}

export function parseScrape(text: string): Scrape {
  const samples: Sample[] = []
  const families = new Map<string, string>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? []
    if (name !== '') families.set(name, type)
    else if (!line.startsWith('#')) samples.push(parseSample(line))
  }
  return {
    text,
    samples,
    families,
    value(name, labels = {}) {
      const found = samples.filter((one) => one.name === name && includes(one.labels, labels))
      assert.ok(found.length < 2, `${name} ${JSON.stringify(labels)} stands there ${found.length} times`)
      return found[0]?.value
    },
  }
}

function parseSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  // prom-client has no lag to tell before the event loop has turned, and says so.
  assert.ok(name !== '' && (Number.isFinite(Number(value)) || value === 'Nan'), `no sample: ${line}`)
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

function includes(labels: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([label, value]) => labels[label] === value)
}

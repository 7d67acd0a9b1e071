/** The only file that loads prom-client: a service that nobody scrapes does not have it in memory. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Family, Sample } from './family.ts'

/** The library's own that list every connection, under names that are against Prometheus' conventions. */
const unwanted = /^nodejs_active_/
/** How often it is looked whether the event loop is late: often enough for what users notice. */
const lagPrecisionMs = 20

/** One of its own for each application: the library's common one would mix what several of them say. */
export function buildRegistry(families: readonly Family[]): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecisionMs })
  for (const { name } of registry.getMetricsAsArray()) if (unwanted.test(name)) registry.removeSingleMetric(name)
  for (const family of families) addFamily(registry, family)
  return registry
}

/** Everything as text. `counted` is what prom-client did not count itself, in the form in which processes hand it over. */
export async function tell(registry: Registry, counted: object): Promise<string> {
  const texts = await Promise.all([registry.metrics(), AggregatorRegistry.aggregate([[counted]]).metrics()])
  // The library tells NaN of what it has not measured yet, such as the lag of the event loop just after the start.
  return texts.join('\n').replaceAll(/^[^#\n].* NaN\n?/gm, '')
}

function addFamily(registry: Registry, family: Family): void {
  const { name, help, labels: labelNames } = family
  const common = { name, help, labelNames, registers: [registry] }
  if (family.type === 'gauge') {
    new Gauge({
      ...common,
      async collect() {
        const samples = await samplesOf(family)
        clear(this, family)
        for (const { labels, value } of samples) this.set(labels, value)
      },
    })
  } else {
    new Counter({
      ...common,
      async collect() {
        const samples = await samplesOf(family)
        clear(this, family)
        for (const { labels, value } of samples) this.inc(labels, value)
      },
    })
  }
}

async function samplesOf(family: Family): Promise<readonly Sample[]> {
  const reading = await family.read()
  return typeof reading === 'number' ? [{ labels: {}, value: reading }] : (reading ?? [])
}

/** `reset` alone leaves a 0 where there are no labels, which would be told for what is not known. */
function clear(metric: Gauge | Counter, { labels }: Family): void {
  if (labels.length > 0) metric.reset()
  else metric.remove()
}

/** The only file that loads prom-client: a service without scrapes does not keep it in memory. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Family, Sample } from '../../core/metric-family.ts'

/** Default metrics of the library that list every connection, with names that break Prometheus' conventions. */
const unwanted = /^nodejs_active_/
/** How often the event loop's lag is sampled: often enough for what users notice. */
const lagPrecisionMs = 20

/** One registry per application: the library's global one would mix several. */
export function buildRegistry(families: readonly Family[]): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecisionMs })
  for (const { name } of registry.getMetricsAsArray()) if (unwanted.test(name)) registry.removeSingleMetric(name)
  for (const family of families) addFamily(registry, family)
  return registry
}

/** Returns all metrics as text. `counted` has what prom-client did not count, in the form that processes exchange. */
export async function metricsText(registry: Registry, counted: object): Promise<string> {
  const texts = await Promise.all([registry.metrics(), AggregatorRegistry.aggregate([[counted]]).metrics()])
  // The library reports NaN for what it has not measured yet, such as the event loop's lag just after the start.
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

/** `reset` alone leaves a 0 for a metric without labels, which would be reported although it is unknown. */
function clear(metric: Gauge | Counter, { labels }: Family): void {
  if (labels.length > 0) metric.reset()
  else metric.remove()
}

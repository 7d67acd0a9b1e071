import { counter, type Family, type Sample } from '../../core/metric-family.ts'
import { boundsMs, Durations, type RequestTimes } from './request-times.ts'

/** By exact status; the durations have only its class, because each of their series has a dozen buckets. */
export function requestCount({ all }: RequestTimes): Family {
  const read = () =>
    [...all].flatMap(([operation, statuses]) =>
      [...statuses].map(([status, durations]) => ({ labels: { operation, status }, value: countOf(durations) })),
    )
  return counter('rollbook_http_requests_total', 'Requests that got a response.', read, ['operation', 'status'])
}

/**
 * A histogram in the form that prom-client's processes exchange. Its own class builds a text of the labels at each
 * observation, which takes a quarter of a microsecond; our counters take a hundredth of that.
 */
export function requestDurations({ all }: RequestTimes) {
  const name = 'rollbook_http_request_duration_seconds'
  const values = [...all].flatMap(([operation, statuses]) =>
    [...byClass(statuses)].flatMap(([status, durations]) => seriesOf(name, { operation, status }, durations)),
  )
  const help = 'Time from the first byte of a request to the last byte of its response.'
  return { name, help, type: 'histogram', aggregator: 'sum', values }
}

function byClass(statuses: ReadonlyMap<number, Durations>): Map<string, Durations> {
  const classes = new Map<string, Durations>()
  for (const [status, durations] of statuses) {
    if (countOf(durations) === 0) continue
    const name = `${Math.floor(status / 100)}xx`
    const sum = classes.get(name) ?? new Durations()
    sum.addAll(durations)
    classes.set(name, sum)
  }
  return classes
}

function seriesOf(name: string, labels: Sample['labels'], durations: Durations) {
  let upTo = 0
  const buckets = boundsMs.map((bound, place) => {
    upTo += durations.counts[place] as number
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bound / 1000 }, value: upTo }
  })
  const count = countOf(durations)
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: durations.sumMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function countOf({ counts }: Durations): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

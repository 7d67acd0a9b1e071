/** Draws the points as one SVG: a panel for each axis, both scales logarithmic, so that a cost in proportion is a diagonal. */
import type { Point } from './measure.ts'

type Panel = { title: string; axis: Point['axis']; x: string; y: string; shows(line: string): boolean }
type Line = { name: string; dots: { x: number; y: number }[] }

const unitOf = (line: string) => /, (ms|MB|%)$/.exec(line)?.[1]
const isRate = (line: string) => line.endsWith('per second')
const panels: readonly Panel[] = [
  {
    title: 'A request, by the number of users',
    axis: 'users',
    x: 'users',
    y: 'µs of processor time',
    shows: (line) => unitOf(line) === undefined,
  },
  {
    title: 'What happens once, and sizes, by the number of users',
    axis: 'users',
    x: 'users',
    y: 'ms of processor time, or MB',
    shows: (line) => unitOf(line) !== undefined,
  },
  {
    title: 'A request, by the number of audit records (100,000 users)',
    axis: 'records',
    x: 'audit records',
    y: 'µs of processor time',
    shows: (line) => unitOf(line) === undefined,
  },
  {
    title: 'Beside sign-ins without hashing (100,000 users)',
    axis: 'sessions',
    x: 'sessions created per second',
    y: 'µs; p50 and p99 are elapsed time',
    shows: (line) => !isRate(line),
  },
]

const [width, height] = [640, 430]
const plot = { left: 62, right: 410, top: 50, bottom: 372 }
const colors = [
  '#1864ab',
  '#c92a2a',
  '#2b8a3e',
  '#862e9c',
  '#e67700',
  '#0b7285',
  '#a61e4d',
  '#5c940d',
  '#495057',
  '#868e96',
]

export function drawing(points: readonly Point[]): string {
  const drawn = panels.map((panel, i) => {
    const [x, y] = [(i % 2) * width, Math.floor(i / 2) * height]
    return `<g transform="translate(${x} ${y})">${panelOf(panel, points)}</g>`
  })
  const size = `width="${2 * width}" height="${2 * height}" viewBox="0 0 ${2 * width} ${2 * height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif" font-size="12" fill="#212529">`,
    '<title>What requests cost as a store grows</title>',
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

function panelOf(panel: Panel, points: readonly Point[]): string {
  const own = points.filter(({ axis }) => axis === panel.axis).toSorted((a, b) => a.count - b.count)
  const names = [...new Set(own.flatMap(({ values }) => Object.keys(values)))].filter(panel.shows)
  const lines = names.map((name): Line => {
    const dots = own.flatMap(({ count, values }) => (values[name] ? [{ x: count, y: values[name] }] : []))
    return { name, dots }
  })
  const all = lines.flatMap(({ dots }) => dots)
  if (all.length === 0) return ''
  const across = scale(
    all.map((dot) => dot.x),
    plot.left + 12,
    plot.right - 12,
  )
  const up = scale(
    all.map((dot) => dot.y),
    plot.bottom,
    plot.top,
  )
  const labels = spread(lines.map(({ dots }) => up.at(dots.at(-1)?.y ?? 1)))
  return [
    text(plot.left - 50, 16, panel.title, 'font-size="15" font-weight="600"'),
    ...up.ticks.map((value) => {
      const y = round(up.at(value))
      const label = text(plot.left - 8, y + 4, short(value), 'text-anchor="end"')
      return `<path d="M${plot.left} ${y}H${plot.right}" stroke="#dee2e6"/>${label}`
    }),
    ...new Set(own.map(({ count }) => count)).values().map((value) => {
      const x = round(across.at(value))
      return `<path d="M${x} ${plot.top}V${plot.bottom}" stroke="#dee2e6"/>${text(x, plot.bottom + 18, short(value), 'text-anchor="middle"')}`
    }),
    text((plot.left + plot.right) / 2, plot.bottom + 38, panel.x, 'text-anchor="middle" fill="#495057"'),
    text(plot.left - 50, plot.top - 13, panel.y, 'fill="#495057"'),
    ...lines.map(({ name, dots }, i) => {
      const color = colors[i % colors.length]
      const places = dots.map(({ x, y }) => `${round(across.at(x))},${round(up.at(y))}`)
      const dash = name.startsWith('bare') ? ' stroke-dasharray="4 3"' : ''
      const [end = ''] = places.slice(-1)
      const label = labels[i] as number
      return [
        `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="2"${dash}/>`,
        ...places.map((place) => `<circle cx="${place.replace(',', '" cy="')}" r="3" fill="${color}"/>`),
        `<path d="M${end.replace(',', ' ')}L${plot.right + 12} ${round(label)}" stroke="${color}" stroke-width="0.6"/>`,
        text(plot.right + 15, label + 4, name, `fill="${color}"`),
      ].join('')
    }),
  ].join('\n')
}

/** A logarithmic scale over whole decades, or over 1, 2, 5 … when there are few. */
function scale(values: readonly number[], from: number, to: number) {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const steps = Array.from({ length: 14 }, (_, i) => i - 3).flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power))
  const below = steps.findLast((step) => step <= least) ?? least
  const above = steps.find((step) => step >= most) ?? most
  const within = steps.filter((step) => step >= below && step <= above)
  const ticks = within.length > 8 ? within.filter((step) => Number.isInteger(Math.log10(step))) : within
  const span = Math.log(above / below) || 1
  return { ticks, at: (value: number) => from + ((to - from) * Math.log(value / below)) / span }
}

/** Moves labels apart that would cover each other. */
function spread(wanted: readonly number[]): number[] {
  const gap = 15
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] as number) - (wanted[b] as number))
  const placed: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const i of order) {
    last = Math.max(wanted[i] as number, last + gap)
    placed[i] = last
  }
  const over = last - (plot.bottom + 6)
  if (over <= 0) return placed
  let next = Number.POSITIVE_INFINITY
  for (const i of order.toReversed()) {
    next = Math.min(placed[i] as number, next - gap, plot.bottom + 6)
    placed[i] = next
  }
  return placed
}

function text(x: number, y: number, content: string, attributes = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped}</text>`
}

const round = (value: number) => Math.round(value * 10) / 10

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 10_000 ? `${value / 1000}k` : String(Number(value.toPrecision(3)))
}

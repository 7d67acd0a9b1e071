/** The log as people read it on a terminal: a short line per event instead of JSON. */
import { styleText } from 'node:util'
import { visible } from '../terminal/visible-text.ts'

type Color = Parameters<typeof styleText>[0]

type Failure = { message?: string; reason?: string; stack?: string }

/** Members that the line shows in another form, or that only the JSON has. */
type Event = {
  level: string
  time?: string
  service?: string
  msg?: string
  request_id?: string
  actor?: string
  address?: string
  method?: string
  path?: string
  status?: number
  ms?: number
  code?: string
  reason?: string
  err?: Failure
  [other: string]: unknown
}

const levelColors: Record<string, Color> = { warn: 'yellow', error: 'red', fatal: 'red' }

/** Returns a function that turns JSON lines into text. Assets and repeated probes are left out. */
export function readableLog(basePath: string): (lines: readonly string[]) => string {
  const isQuiet = quietRequests(basePath)
  return (lines) => {
    let text = ''
    for (const line of lines) {
      const event = JSON.parse(line) as Event
      if (!isQuiet(event)) text += described(event)
    }
    return text
  }
}

/** Recognizes page assets, and health checks and scrapes whose status has not changed. */
function quietRequests(basePath: string): (event: Event) => boolean {
  const folders = ['docs', 'console', 'login'].map((page) => `${basePath}/${page}/assets/`)
  const lastStatus = new Map(['/health/live', '/health/ready', '/metrics'].map((path) => [basePath + path, 0]))
  return ({ msg, method, path, status = 0, code }) => {
    // Fastify's own line; ours, with the whole URL, follows it.
    if (msg?.startsWith('Server listening at ')) return true
    if (path === undefined || (method !== 'GET' && method !== 'HEAD')) return false
    const last = lastStatus.get(path)
    if (last !== undefined) {
      lastStatus.set(path, status)
      return status === last
    }
    // Browsers request this on their own.
    if (path.endsWith('/favicon.ico')) return code === undefined
    return status < 400 && folders.some((folder) => path.startsWith(folder))
  }
}

function described(event: Event): string {
  const {
    level,
    time,
    service,
    msg,
    request_id,
    actor,
    address,
    method,
    path,
    status,
    ms,
    code,
    reason,
    err,
    ...rest
  } = event
  const parts = [color('dim', clock(time))]
  const levelColor = levelColors[level]
  if (method !== undefined && path !== undefined && status !== undefined) {
    parts.push(`${method} ${visible(path)}`, color(statusColor(status), `${status}`), color('dim', duration(ms ?? 0)))
  } else {
    if (levelColor !== undefined) parts.push(color(levelColor, `${level === 'warn' ? 'warning' : level}:`))
    // The only event without a message is a request that Node could not read.
    parts.push(visible(msg ?? `unreadable request ${status ?? ''}`.trimEnd()))
  }
  const why = [code, err?.message, reason ?? err?.reason].filter((text) => text !== undefined && text !== '')
  if (why.length > 0) parts.push(color(levelColor ?? 'dim', visible(why.join(': '))))
  const details = Object.entries({ ...rest, ...(levelColor !== undefined && { request_id }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${visible(brief(value))}`)
  if (details.length > 0) parts.push(color('dim', details.join(' ')))
  return `${parts.join(' ')}\n${stackLines(err)}`
}

/** The first start names every migration. */
function brief(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 2) return `${value[0]}…${value.at(-1)}`
  return JSON.stringify(value)
}

/** Without its first lines, which repeat the message. */
function stackLines(err: Failure | undefined): string {
  const lines = err?.stack?.split('\n') ?? []
  const first = lines.findIndex((line) => line.startsWith('    at '))
  if (first === -1) return ''
  return lines
    .slice(first)
    .map((line) => `${color('dim', visible(line))}\n`)
    .join('')
}

/** Local time, as on the clock of the reader. */
function clock(time: string | undefined): string {
  const date = time === undefined ? new Date() : new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => `${part}`.padStart(2, '0')).join(':')
}

function duration(ms: number): string {
  if (ms < 1) return '<1 ms'
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function statusColor(status: number): Color {
  return status >= 500 ? 'red' : status >= 400 ? 'yellow' : status >= 300 ? 'cyan' : 'green'
}

/** Respects NO_COLOR, FORCE_COLOR and TERM. */
function color(name: Color, text: string): string {
  return styleText(name, text, { stream: process.stdout })
}

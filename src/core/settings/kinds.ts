/** What a setting is, and the kinds of values that settings of several subjects have. */
import { isIP, isIPv4 } from 'node:net'
import { networkOf } from '../../lib/address.ts'

export type Reading<T> = { value: T } | { faults: string[] }

/** How a setting's text is read. Faults say what is expected and never what was given: it may be a misplaced secret. */
export type Kind<T> = { expected: string; read: (text: string, earlier?: EarlierSettings) => Reading<T> }

/** The settings read so far: a setting may depend on an earlier one. Undefined where an earlier one was invalid. */
type EarlierSettings = Readonly<Record<string, unknown>>

export type Setting = {
  name: `ROLLBOOK_${string}`
  kind: Kind<unknown>
  /** As written in the environment; undefined if the setting has no default. */
  default: string | undefined
  why: string
  /** Secrets may also come from the file that `<name>_FILE` points to. */
  secret?: true
}

export type Settings = Readonly<Record<string, Setting>>

export function kind<T>(expected: string, parse: (text: string) => T | undefined): Kind<T> {
  return {
    expected,
    read(text) {
      const value = parse(text)
      return value === undefined ? { faults: [`must be ${expected}`] } : { value }
    },
  }
}

export function integer(minimum: number, maximum: number): Kind<number> {
  return kind(`a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1
    return value >= minimum && value <= maximum ? value : undefined
  })
}

export function oneOf<const T extends string>(...words: T[]): Kind<T> {
  return kind(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text))
}

export function line(maximum: number): Kind<string> {
  return kind(`one line of at most ${maximum} characters`, (text) =>
    text.length <= maximum && text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text) ? text : undefined,
  )
}

export function list<T>(expected: string, parse: (text: string) => T | undefined): Kind<readonly T[]> {
  return kind(`${expected}, separated by commas`, (text) => {
    const items = text.split(',').map((item) => parse(item.trim()))
    return items.includes(undefined) ? undefined : (items as T[])
  })
}

export const switchedOn = kind('true or false', (text) =>
  text === 'true' ? true : text === 'false' ? false : undefined,
)

export const isoDate = kind('a date such as 2026-11-22', (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined,
)

export const longSecret = kind('32 to 512 visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{32,512}$/.test(text) ? text : undefined,
)

export const host = kind('a host name or an IP address, without port or brackets', (text) => {
  const named = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text) && URL.canParse(`http://${text}`)
  return named || isIP(text) > 0 ? text : undefined
})

const network = (text: string): string | undefined => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return Number(bits ?? 0) <= widest ? text : undefined
}

/** An IPv4 address inside an IPv6 one (mapped, NAT64) is judged as IPv4, so such a network would have no effect. */
const callableNetwork = (text: string): string | undefined => {
  const [address = ''] = text.split('/', 1)
  return isIPv4(address) || !isIPv4(networkOf(address)) ? network(text) : undefined
}

/** RFC 6454 §6: scheme, host and port, as browsers write them. No other characters: it becomes part of headers. */
export const origin = (text: string): string | undefined =>
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text).origin
    : undefined

export const origins = list('origins such as https://app.example.com', origin)

export const networks = list('addresses or networks such as 10.0.0.0/8', network)

export const callableNetworks = list(
  'addresses or networks such as 10.0.0.0/8, IPv4 networks not written as IPv6',
  callableNetwork,
)

/** A name server must not depend on another one, so names are refused. Returns the form that Node's resolver takes. */
const nameServer = (text: string): string | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|(\d[\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  const port = Number(digits ?? 53)
  if (isIP(address) === 0 || (bracketed !== undefined && isIPv4(address)) || address.includes('%')) return undefined
  if (port < 1 || port > 65535) return undefined
  return isIPv4(address) ? `${address}:${port}` : `[${address}]:${port}`
}

export const nameServers = list('addresses such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353', nameServer)

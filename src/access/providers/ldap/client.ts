/** One connection to a directory, by ldapts. It is never opened again: who is bound to it would not be who is bound afterwards. */
import type { Socket } from 'node:net'
import { Client, FilterParser } from 'ldapts'
import { SendFailure } from '../../../http/outgoing/agent.ts'
import { ownFaults } from '../../../lib/fault-owner.ts'
import type { DirectoryServer } from '../connections/service.ts'
import { LdapFailure, resultCodeOf, resultCodes } from './failure.ts'
import { openSocket, type SocketParts } from './secure-socket.ts'

export type Values = readonly (string | Buffer)[]

/** Names of attributes in lower case; what was not asked for, or has no value, is absent. */
export type Entry = { dn: string; values: ReadonlyMap<string, Values> }

export type Search = {
  base: string
  scope?: 'base' | 'sub'
  filter: string
  attributes: readonly string[]
  /** Stops there. */
  sizeLimit?: number
}

export type DirectoryClient = {
  /** @throws what the library throws if the server refuses */
  bind(name: string, password: string): Promise<void>
  search(search: Search): Promise<{ entries: Entry[]; referrals: number }>
  /** Page by page. */
  pages(search: Search): AsyncIterable<{ entries: Entry[]; referrals: number }>
  close(): Promise<void>
}

/** These are no text, whatever their bytes look like. */
const binaryAttributes = ['objectGUID', 'objectSid', 'tokenGroups']
const binaryNames = new Set(binaryAttributes.map((name) => name.toLowerCase()))

const pageSize = 500
/** The limit for all data that a server sends on one connection of a sign-in. */
const largestBytes = 8 << 20

export type ClientParts = SocketParts & { largestBytes?: number }

/** @throws LdapFailure `directory_unreachable` */
export function openClient(server: DirectoryServer, parts: ClientParts): Promise<DirectoryClient> {
  const ending = new AbortController()
  const signal = AbortSignal.any([parts.signal, ending.signal])
  const owner = { what: 'a connection to a directory', end: (error: Error) => ending.abort(error) }
  return ownFaults(owner, () => open(server, { ...parts, signal }))
}

async function open(server: DirectoryServer, parts: ClientParts): Promise<DirectoryClient> {
  const socket = await openSocket(server, parts)
  const { timeoutMs, largestBytes: limit = largestBytes } = parts
  const client = new Client({
    url: 'ldap://127.0.0.1', // Not used: the connection is there.
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    createConnection: once(() => limited(socket, limit)),
  })
  return {
    async bind(name, password) {
      // As an object: the library takes the texts PLAIN and EXTERNAL for SASL mechanisms.
      const bindName = { toString: () => name } as Parameters<Client['bind']>[0]
      await client.bind(bindName, password).catch((error: unknown) => {
        throw failureOf(server, error)
      })
    },

    async search({ base, scope = 'sub', filter, attributes, sizeLimit }) {
      const options = { ...optionsOf(filter, attributes), scope, ...(sizeLimit !== undefined && { sizeLimit }) }
      const found = await client.search(base, options).catch((error: unknown) => {
        throw searchFailureOf(server, base, error)
      })
      return pageOf(found)
    },

    async *pages({ base, filter, attributes }) {
      const options = { ...optionsOf(filter, attributes), scope: 'sub' as const, paged: { pageSize } }
      try {
        for await (const found of client.searchPaginated(base, options)) yield pageOf(found)
      } catch (error) {
        throw searchFailureOf(server, base, error)
      }
    },

    close: () => client.unbind().finally(() => socket.destroy()),
  }
}

function optionsOf(filter: string, attributes: readonly string[]) {
  return {
    filter: parseFilter(filter),
    attributes: [...attributes],
    explicitBufferAttributes: binaryAttributes,
    derefAliases: 'never' as const,
  }
}

/** @throws LdapFailure `settings_invalid` */
export function parseFilter(text: string) {
  try {
    return FilterParser.parseString(text.replaceAll(/(?:\\[89a-f][0-9a-f])+/gi, charactersOf))
  } catch (error) {
    throw new LdapFailure(
      'settings_invalid',
      'A filter of this connection is not a valid LDAP filter (RFC 4515).',
      error,
    )
  }
}

/** The library reads the octets of one character as several. @throws TypeError if they are not UTF-8 */
function charactersOf(octets: string): string {
  return new TextDecoder('utf8', { fatal: true }).decode(Buffer.from(octets.replaceAll('\\', ''), 'hex'))
}

function once(openSocket: () => Socket): () => Socket {
  let isTaken = false
  return () => {
    if (isTaken) throw new Error('The connection has ended.')
    isTaken = true
    return openSocket()
  }
}

/** The library keeps whatever arrives until a message is complete. */
function limited(socket: Socket, limit: number): Socket {
  let size = 0
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) socket.destroy(new Error('The server sends too much.'))
  })
  return socket
}

/** A response of the server keeps its code. Any other error means that the server is unavailable. */
function failureOf({ url }: DirectoryServer, error: unknown): unknown {
  if (error instanceof LdapFailure) return error
  const code = resultCodeOf(error)
  if (code === resultCodes.busy || code === resultCodes.unavailable) {
    return new LdapFailure('directory_unreachable', `${url} reports that it is busy or unavailable.`, error)
  }
  if (code !== undefined) return error
  const isLate = error instanceof Error && /timed out/.test(error.message)
  const detail = isLate ? `${url} did not respond in time.` : `${url} ended the connection, or sent what is not LDAP.`
  return new LdapFailure('directory_unreachable', detail, isLate ? new SendFailure('timeout', error) : error)
}

function searchFailureOf(server: DirectoryServer, base: string, failed: unknown): unknown {
  const error = failureOf(server, failed)
  const code = resultCodeOf(error)
  if (code === undefined) return error
  const detail = searchTexts(base)[code] ?? `The directory refuses the search (result code ${code}).`
  return new LdapFailure('search_refused', detail, error)
}

function searchTexts(base: string): Record<number, string> {
  const limit = (name: string, code: number) =>
    `The directory ended the search at its ${name} limit (result code ${code}). Raise the limit for the bind user, or narrow user_base or user_filter.`
  return {
    [resultCodes.noSuchObject]: `There is no entry ${base}, or the bind user may not see it.`,
    [resultCodes.invalidDnSyntax]: `${base} is not a distinguished name.`,
    [resultCodes.referral]: `${base} is on another server (a referral). Referrals are not followed: connect to that server.`,
    [resultCodes.insufficientAccessRights]: 'The bind user may not search here.',
    [resultCodes.strongerAuthRequired]: 'The directory requires a bind before a search, or TLS.',
    [resultCodes.confidentialityRequired]: 'The directory requires TLS.',
    [resultCodes.operationsError]: 'The directory requires a bind before a search: set bind_dn, or check the password.',
    [resultCodes.timeLimitExceeded]: limit('time', resultCodes.timeLimitExceeded),
    [resultCodes.sizeLimitExceeded]: limit('size', resultCodes.sizeLimitExceeded),
    [resultCodes.adminLimitExceeded]: limit('administrative', resultCodes.adminLimitExceeded),
    [resultCodes.unavailableCriticalExtension]: noPages,
  }
}

const noPages = 'The directory does not list entries in pages (RFC 2696). Allow the bind user paged results.'

type Found = Awaited<ReturnType<Client['search']>>

function pageOf({ searchEntries, searchReferences }: Found): { entries: Entry[]; referrals: number } {
  return { entries: searchEntries.map(entryOf), referrals: searchReferences.length }
}

function entryOf({ dn, ...attributes }: Found['searchEntries'][number]): Entry {
  const values = new Map<string, Values>()
  for (const [name, value] of Object.entries(attributes)) {
    const key = name.toLowerCase()
    const all = [value].flat() as (string | Buffer)[]
    const asBytes = binaryNames.has(key)
    if (all.length > 0) values.set(key, asBytes ? all.map((one) => Buffer.from(one as string)) : all)
  }
  return { dn, values }
}

/** The texts of an attribute. Values that are no text are left out. */
export function textsOf(entry: Entry, attribute: string): string[] {
  return (entry.values.get(attribute.toLowerCase()) ?? []).filter((one) => typeof one === 'string')
}

export function bytesOf(entry: Entry, attribute: string): Buffer[] {
  return (entry.values.get(attribute.toLowerCase()) ?? []).filter((one) => Buffer.isBuffer(one))
}

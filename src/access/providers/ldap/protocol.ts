/** Sign-in with a directory, for the core of company sign-in. Loaded with the first use. */
import { memberFault, validationFailed } from '../../../core/errors.ts'
import { callGuard } from '../../../http/outgoing/guard.ts'
import { resolver } from '../../../http/outgoing/lookup.ts'
import {
  type LdapSettings,
  type OpenConnection,
  type Protocol,
  ProtocolFailure,
  type ProtocolOptions,
} from '../connections/service.ts'
import { parseFilter } from './client.ts'
import { createDirectory, type Directory } from './directory.ts'
import { fillFilter } from './escape.ts'
import { isOfTheServer, isOfTheUser, LdapFailure } from './failure.ts'

export function ldapProtocol({ idpAllowedNetworks, clock, calls }: ProtocolOptions): Protocol {
  const stop = new AbortController()
  const mayCall = callGuard(idpAllowedNetworks)
  const resolve = resolver({ stopped: stop.signal })
  /** By connection: each remembers which of its servers do not answer. */
  const known = new Map<string, { version: number; directory: Directory }>()

  function directoryOf(connection: OpenConnection): Directory {
    const { connection_id, version, settings, secrets } = connection
    const found = known.get(connection_id)
    if (found?.version === version) return found.directory
    const password = secrets.bind_password ?? null
    const parts = { settings: settings as unknown as LdapSettings, password, mayCall, resolve, clock }
    const directory = createDirectory({
      ...parts,
      stopped: stop.signal,
      onOutcome: ({ error, ...call }) =>
        calls.note({ kind: 'ldap', connection, ...call, isFailure: isOfTheServer }, error),
    })
    known.set(connection_id, { version, directory })
    return directory
  }

  return {
    async check(connection, { username, password }) {
      try {
        const { claims } = await directoryOf(connection).verify(username, password)
        return { claims: { ...claims, auth_time: Math.floor(clock() / 1000) } }
      } catch (error) {
        throw asProtocolFailure(error)
      }
    },

    async probe(connection, username) {
      try {
        const directory = directoryOf(connection)
        if (username === undefined) return { detail: `Connected to ${await directory.check()} and found user_base.` }
        const { claims, server, dn, referrals } = await directory.lookUp(username)
        const ignored =
          referrals === 0
            ? ''
            : ` The search also led to other servers, which are not queried (referrals: ${referrals}).`
        return { claims, detail: `${server} has the entry ${dn}.${ignored}` }
      } catch (error) {
        throw asProtocolFailure(error)
      }
    },

    async *people(connection) {
      try {
        for await (const { users, skipped, isComplete } of directoryOf(connection).users()) {
          yield {
            people: users.map(({ dn: label, claims, endState: ended }) => ({
              label,
              claims,
              isDisabled: ended !== undefined,
            })),
            skipped: skipped.map(({ dn: label, detail }) => ({ label, detail })),
            isComplete,
          }
        }
      } catch (error) {
        throw asProtocolFailure(error)
      }
    },

    async prepare(input) {
      const faults = (['user_filter', 'group_filter'] as const).flatMap((member) => {
        const text = input[member]
        return typeof text !== 'string' || isFilter(fillFilter(text, 'ada'))
          ? []
          : [
              memberFault(
                member,
                'filter_invalid',
                'This is not a valid LDAP filter (RFC 4515), such as (uid={username}).',
              ),
            ]
      })
      if (faults.length > 0) throw validationFailed(faults)
      return input
    },

    close() {
      stop.abort()
    },
  }
}

function isFilter(text: string): boolean {
  try {
    parseFilter(text)
    return true
  } catch (error) {
    if (error instanceof LdapFailure) return false
    throw error
  }
}

function asProtocolFailure(error: unknown): unknown {
  if (!(error instanceof LdapFailure)) return error
  const { reason, message } = error
  if (isOfTheUser(error)) return new ProtocolFailure('wrong_password', message, { cause: error })
  const isDown = reason === 'directory_unreachable' || reason === 'directory_busy'
  return new ProtocolFailure(isDown ? 'provider_unreachable' : 'provider_refused', message, { cause: error })
}

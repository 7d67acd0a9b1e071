/** The requests between us and the provider of a connection that are not sign-ins. */
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  kindOf,
  type PeoplePage,
  type Prepare,
  type Probe,
  ProtocolFailure,
  type Reach,
} from '../../providers/connections/service.ts'
import { requestAt, type When } from '../sign-in/service.ts'
import { keepProviderFailure } from './failures.ts'
import type { Protocols } from './protocols.ts'
import { activeConnection, SignInRefused } from './refused.ts'
import type { SignOut } from './steps.ts'

export type Providers = {
  prepare: Prepare
  probe: Probe
  reach: Reach
  /** Ends what a token of a back-channel logout names. @throws ProtocolFailure, SignInRefused */
  takeLogout(connectionId: string, token: string, when: When): Promise<void>
  /** Ends all sessions of an account, and with them their tokens. Returns whether there is such an account. @throws ProtocolFailure, SignInRefused */
  takeRevocation(revocation: Revocation, when: When): Promise<boolean>
  /** Returns the address at which the browser signs out of the provider, too; undefined if the provider has none that is usable. */
  signOutUrl(
    leaving: { connection_id: string; hint: string | undefined; returnUri: string },
    when: When,
  ): Promise<URL | undefined>
  /** Returns every account of a connection; undefined if its kind cannot list them. @throws ProtocolFailure */
  people(row: connections.ConnectionRow): Promise<AsyncIterable<PeoplePage> | undefined>
}

export type Revocation = {
  connection_id: string
  token: string
  /** The address that the token is for. */
  endpoint: string
  account: { subject: string; issuer?: string } | { email: string; issuer?: undefined }
}

export function createProviders({ storage, protocols }: { storage: Storage; protocols: Protocols }): Providers {
  /** @throws ProtocolFailure if the message was used before */
  async function obey(order: SignOut, when: When): Promise<boolean> {
    const { result } = await storage.change('company_sign_ins.sign_out', order, requestAt(when))
    if (result.isReplayed) throw new ProtocolFailure('token_invalid', 'The token was used before (jti).')
    return result.isKnown
  }

  /** Strangers send tokens that are not valid, so only what the provider fails at is kept. */
  async function report(connection: connections.ConnectionRow, error: unknown, when: When): Promise<never> {
    if (error instanceof ProtocolFailure && error.reason === 'provider_unreachable') {
      await keepProviderFailure(storage, { connection, failure: error, isSignIn: false }, when)
    }
    throw error
  }

  return {
    async prepare(kind, input, before) {
      if (!kindOf(kind).prepares) return input
      try {
        const protocol = await protocols.of(kind)
        return (await protocol.prepare?.(input, before)) ?? input
      } catch (error) {
        if (!(error instanceof ProtocolFailure)) throw error
        throw new AppError('provider_unavailable', error.message, { cause: error })
      }
    },
    async probe(row, username) {
      const { probe } = await protocols.of(row.kind)
      if (probe === undefined) return undefined
      try {
        return await probe(protocols.open(row), username)
      } catch (error) {
        if (!(error instanceof ProtocolFailure)) throw error
        return { reason: error.reason, detail: error.message }
      }
    },
    async reach(row) {
      try {
        await (await protocols.of(row.kind)).reach?.(protocols.open(row))
        return undefined
      } catch (error) {
        if (!(error instanceof ProtocolFailure)) throw error
        return error.message
      }
    },
    async takeLogout(connectionId, token, when) {
      const connection = await activeConnection(storage, connectionId)
      const { connection_id, kind } = connection
      const protocol = await protocols.of(kind)
      if (protocol.readLogout === undefined) throw new SignInRefused('inactive')
      const reading = protocol.readLogout(protocols.open(connection), token)
      const { id, until, subject, sid } = await reading.catch((error) => report(connection, error, when))
      const order = { connection_id, message: { id, until }, subject, sid, email: null }
      await obey({ ...order, by: 'backchannel_logout' }, when)
    },
    async takeRevocation({ connection_id: id, token, endpoint, account }, when) {
      const connection = await activeConnection(storage, id)
      const { connection_id, kind } = connection
      const protocol = await protocols.of(kind)
      if (protocol.readRevocation === undefined) throw new SignInRefused('inactive')
      const reading = protocol.readRevocation(protocols.open(connection), token, endpoint)
      const message = await reading.catch((error) => report(connection, error, when))
      const { issuer, ...named } = account
      // RFC 9493 §3.2.3: a subject belongs to its issuer. The account of another issuer is no account of this connection.
      if (issuer !== undefined && issuer !== connections.settingsOf(connection).issuer) return false
      const order = { connection_id, message, subject: null, email: null, ...named, sid: null }
      return obey({ ...order, by: 'global_token_revocation' }, when)
    },
    async signOutUrl({ connection_id, hint, returnUri }, when) {
      const connection = await connections.findConnection(storage.db, scopeOf(system), connection_id)
      if (connection === undefined || !connections.isUsable(storage, connection)) return undefined
      try {
        const protocol = await protocols.of(connection.kind)
        return await protocol.endSession?.(protocols.open(connection), { hint, returnUri })
      } catch (error) {
        if (!(error instanceof ProtocolFailure)) throw error
        await keepProviderFailure(storage, { connection, failure: error, isSignIn: false }, when)
        return undefined
      }
    },
    async people(row) {
      return (await protocols.of(row.kind)).people?.(protocols.open(row))
    },
  }
}

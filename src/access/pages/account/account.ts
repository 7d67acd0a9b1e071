/** Everything about the signed-in user that the account page shows and the download contains, read as the API reads it. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { etagOf } from '../../../http/request/conditional.ts'
import { readRequest } from '../../../http/response/send-stream.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import { findLatestAbout, walk } from '../../../record/audit/service.ts'
import type { Factors } from '../../credentials/factors/schema.ts'
import * as factors from '../../credentials/factors/service.ts'
import type { ApiKey } from '../../credentials/keys/schema.ts'
import * as keys from '../../credentials/keys/service.ts'
import type { Session, TrustedBrowser } from '../../credentials/sessions/schema.ts'
import { listOwn, listOwnTrusted, personOf } from '../../credentials/sessions/service.ts'
import type { Identity } from '../../providers/connections/schema.ts'
import { listOf as listIdentities } from '../../providers/connections/service.ts'
import type { Me } from '../me/schema.ts'
import { type MeNeeds, meOf } from '../me/service.ts'

export type AccountNeeds = MeNeeds &
  Pick<HttpLayer, 'contextOf' | 'storage'> & {
    lastSeenOf(sessionId: string): number | undefined
    lastUseOf(keyId: string): number | undefined
  }

export type Account = {
  me: Me
  /** The ETag of the user. */
  etag: string
  factors: Factors
  sessions: Session[]
  trustedBrowsers: TrustedBrowser[]
  identities: Identity[]
  keys: ApiKey[]
}

export async function readAccount(needs: AccountNeeds, request: FastifyRequest): Promise<Account> {
  const ctx = needs.contextOf(request)
  const { user_id } = personOf(request)
  const found = await users.get(ctx, user_id)
  return {
    me: await meOf(needs, request, found),
    etag: etagOf(found.version),
    factors: await factors.listOf(ctx, user_id),
    sessions: await listOwn(ctx, user_id, needs.lastSeenOf),
    trustedBrowsers: await listOwnTrusted(ctx),
    identities: await listIdentities(ctx, user_id),
    keys: await keys.listOfUser(ctx, user_id, needs.lastUseOf),
  }
}

/** A page of this size is read faster than it could be handed to another thread. */
const latestRecords = 100

/** The newest records about the user, the newest first. */
export async function readActivity({ storage }: AccountNeeds, request: FastifyRequest): Promise<AuditRecord[]> {
  await storage.settleJournal()
  const target = personOf(request).user_id
  return findLatestAbout(storage.db, scopeOf(system), { target, limit: latestRecords })
}

/** All records about the user, the oldest first. */
export async function readAllActivity({ storage }: AccountNeeds, reply: FastifyReply): Promise<AuditRecord[]> {
  await storage.settleJournal()
  const wanted = readRequest(reply)
  const plan = { scope: scopeOf(system), filters: { target: personOf(reply.request).user_id }, descending: false }
  const ends = await storage.query('audit.ends', undefined, wanted)
  const records: AuditRecord[] = []
  for await (const found of walk((search) => storage.query('audit.find', search, wanted), plan, ends)) {
    for (const { text } of found) records.push(JSON.parse(text) as AuditRecord)
  }
  return records
}

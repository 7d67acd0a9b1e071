import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, fromRefusal } from '../../core/errors.ts'
import { type KeptAnswerRequest, keptAnswerRequest, stillRunning } from '../../store/idempotency/service.ts'
import type { Origin } from '../../store/journal-entry.ts'
import type { Secrets } from '../../store/secrets/service.ts'
import type { CommandInput, CommandName, CommandResult } from '../../store/storage/registry.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import type { SessionCookies } from '../request/cookies.ts'
import { sentCredential } from '../request/sent-credential.ts'

/** `?dry_run=true`, which every write accepts. */
export const dryRunParameter = {
  dry_run: {
    type: 'boolean',
    description: 'Return what would happen, with the same checks, without changing anything.',
  },
} as const

export const writeQuery = { type: 'object', additionalProperties: false, properties: dryRunParameter } as const

type Options<Name extends CommandName> = {
  /** Called only if no response is stored yet: it may be expensive, such as hashing a password. */
  input: () => CommandInput<Name> | Promise<CommandInput<Name>>
}

export type MakeChange = <Name extends CommandName>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: Name,
  options: Options<Name>,
) => Promise<{ result: CommandResult<Name>; dryRun: boolean }>

/** The first responses to requests with an Idempotency-Key, and the requests in progress. */
export type IdempotencyKeys = {
  /**
   * Returns the name under which the response is stored; undefined without a key. `step` names one of several changes
   * of a request.
   *
   * @throws AppError `malformed_header`
   */
  read(request: FastifyRequest, step?: number): KeptAnswerRequest | undefined
  /** Marks the key as in progress until the returned function is called. @throws AppError `idempotency_in_progress` */
  markRunning(responseKey: KeptAnswerRequest): () => void
}

export function idempotencyKeys({ cookies, secrets }: { cookies: SessionCookies; secrets: Secrets }): IdempotencyKeys {
  const running = new Set<string>()
  /** Shared by all callers of public routes: anyone who knows their Idempotency-Key and body gets the stored response. */
  const keyOfStrangers = Buffer.from(secrets.idempotency).toString('base64url')

  /** A client may renew its access token between repetitions, so the key is tied to the token's subject. */
  function credentialOf(request: FastifyRequest): string {
    if (request.credential === undefined) return keyOfStrangers
    const { id, signedIn, personalKey, permissions, limitedTo } = request.actor
    // A key can come to belong to another organization, which must not get a response about the former one.
    const within = limitedTo === undefined ? [] : [limitedTo]
    if (request.credential?.kind !== 'access_token') {
      return [sentCredential(request, cookies).text, ...within].join(' ')
    }
    // Include the permissions: another token of the same subject may have fewer, and must not get this one's response.
    const holder = [id, signedIn?.session_id ?? personalKey?.key_id ?? '', permissions.toSorted(), ...within]
    return JSON.stringify([holder, Buffer.from(secrets.idempotency).toString('base64url')])
  }

  return {
    read: (request, step) => readIdempotencyKey(request, credentialOf, step),
    markRunning({ scope }) {
      // Detects a second request to this node; for other nodes, the database does.
      if (running.has(scope)) throw stillRunning()
      running.add(scope)
      return () => running.delete(scope)
    },
  }
}

type Parts = {
  storage: Storage
  keys: IdempotencyKeys
  originOf(request: FastifyRequest): Origin
  /** Refuses a request whose credential ended after it was recognized. */
  recheck(request: FastifyRequest): void | Promise<void>
}

/** The HTTP side of a change: `dry_run` and `Idempotency-Key` in, `Dry-Run` and `Idempotency-Replayed` out. */
export function changeMaker({ storage, keys, originOf, recheck }: Parts): MakeChange {
  return async (request, reply, name, { input }) => {
    const { now, id: requestId } = request
    const change = async (options: Pick<ChangeRequest, 'dryRun' | 'responseKey'>) => {
      const commandInput = await input()
      // Hashing a password can take long: the caller may have lost the permission since.
      await recheck(request)
      return storage.change(name, commandInput, {
        actor: request.actor,
        now,
        requestId,
        origin: originOf(request),
        ...options,
      })
    }
    const dryRun = (request.query as { dry_run?: boolean }).dry_run ?? false
    const responseKey = dryRun ? undefined : keys.read(request)
    if (responseKey === undefined) {
      const { result } = await change({ dryRun })
      if (dryRun) reply.header('dry-run', 'true')
      return { result, dryRun }
    }
    const release = keys.markRunning(responseKey)
    try {
      const stored = await storage.keptAnswer(responseKey)
      if (stored) reply.header('idempotency-replayed', 'true')
      if (stored && 'refusal' in stored) throw fromRefusal(stored.refusal)
      if (stored) return { result: stored.result as CommandResult<typeof name>, dryRun }
      const { result, replayed } = await change({ responseKey })
      if (replayed) reply.header('idempotency-replayed', 'true')
      return { result, dryRun }
    } finally {
      release()
    }
  }
}

function readIdempotencyKey(
  request: FastifyRequest,
  credentialOf: (request: FastifyRequest) => string,
  step: number | undefined,
) {
  const header = request.headers['idempotency-key']
  if (header === undefined || request.method !== 'POST') return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new AppError(
      'malformed_header',
      'Idempotency-Key must have 1 to 255 visible ASCII characters without spaces.',
    )
  }
  return keptAnswerRequest({
    // A key has no spaces.
    idempotencyKey: step === undefined ? header : `${header} ${step}`,
    credential: credentialOf(request),
    method: request.method,
    path: request.url,
    body: request.rawBody ?? new Uint8Array(),
  })
}

/**
 * Sends the messages of the outbox through the mail server. Every node does, each with the messages that it has
 * claimed.
 */
import type { Logger } from 'pino'
import { system } from '../../../core/actor.ts'
import type { Brand, BrandSource } from '../../../core/brand.ts'
import type { OutageReports } from '../../../core/outages.ts'
import { takeTurns } from '../../../store/postgres/turns.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { createLane, type Dispatcher, startDispatching } from '../../delivery/service.ts'
import { codeOf } from '../codes.ts'
import { findWork, type Work } from '../store.ts'
import type { Templates } from '../templates/templates.ts'
import { newToken, tokenHashOf } from '../tokens.ts'
import type { Claimed } from './advance.ts'
import type { Outcome } from './outcomes.ts'
import { createMailSender } from './sender.ts'
import type { SenderConfig } from './sender-protocol.ts'
import { connectionsAtOnce, longestSendMs, type Patience, type SendResult } from './smtp.ts'

export type MailDispatcherParts = {
  storage: Storage
  config: SenderConfig
  templates: Templates
  branding: Pick<BrandSource, 'current'>
  log: Logger
  outages: OutageReports
  /** How long `stop` waits for the mail server, which may have accepted a message that it has not yet confirmed. */
  graceMs: number
  /** The service's own secret, from which the codes in messages are derived. */
  codeSecret: Uint8Array
  clock?: () => number
  /** How often the store is polled without announcements. */
  everyMs?: number
  /** Queues requested messages before looking for work. */
  before?: () => Promise<unknown>
  /** The time limit for the mail server. */
  patience?: Patience
}

type Claim = { row: Claimed; claimed_until: string; token: string | undefined; brand: Brand; own: Brand | undefined }

const lane = 'smtp'
const mailServer = { kind: 'mail_server', id: lane } as const
const stepMs = 100
/** As many wait in the sending thread as are open, so that it has work until their results are settled. */
export const claimedAtOnce = 2 * connectionsAtOnce
/** The outcome may come at the last moment, and must still be written. */
const leaseMs = longestSendMs + 30_000

export function startMailDispatcher(parts: MailDispatcherParts): Dispatcher {
  const { storage, config, templates, branding, log, outages, codeSecret, clock = Date.now, everyMs = 2000 } = parts
  const onFault = (error: Error) => log.error({ err: error }, 'the thread that sends messages failed')
  const sender = createMailSender({ config, templates, patience: parts.patience, onFault })
  const inTurn = takeTurns(1, Number.POSITIVE_INFINITY)

  async function advance({ outcomes, room }: { outcomes: Outcome[]; room: number }) {
    // Before anything is claimed: a message needs its look.
    const brand = await branding.current()
    const tokens = new Map(Array.from({ length: room }, newToken).map((token) => [tokenHashOf(token), token]))
    const input = { outcomes, room, token_hashes: [...tokens.keys()], lease_ms: leaseMs }
    const { result } = await storage.change('mails.advance', input, { actor: system, now: clock(), requestId: 'mails' })
    const { claimed, claimed_until } = result
    const claims = await Promise.all(
      claimed.map(async (row) => {
        const own = row.organization_id === null ? brand : await branding.current(row.organization_id)
        const token = secretFor(row, tokens)
        return { row, claimed_until, token, brand, own: own === brand ? undefined : own }
      }),
    )
    // Each outcome causes another step.
    return { claims, hasMore: false, isFull: false }
  }

  function secretFor({ kind, link_id, token_hash }: Claimed, tokens: ReadonlyMap<string, string>): string | undefined {
    if (kind === 'sign_in_code' && link_id !== null) return codeOf(codeSecret, link_id)
    return tokens.get(token_hash ?? '')
  }

  async function send({ row, claimed_until, token, brand, own }: Claim): Promise<Outcome> {
    const { mail_id, kind, locale, data, address, expires_at, created_at } = row
    const message = { mail_id, kind, locale, data, address, expires_at, created_at, token, own }
    const result = await sender.send(message, brand)
    if (result?.kind === 'server') outages.failed(mailServer, result.error)
    else if (result !== undefined) outages.succeeded(mailServer)
    if (result?.kind === 'refused' || result?.kind === 'delayed') {
      log.warn({ mail_id, error: result.error }, 'a message was not sent')
    }
    return outcomeOf(row, claimed_until, result)
  }

  return startDispatching<Work>({
    storage,
    what: 'messages',
    async listWork() {
      await parts.before?.()
      return [await findWork(storage.db)]
    },
    idOf: () => lane,
    createLane: () =>
      createLane<Work, Claim, Outcome>({
        name: { server: lane },
        openAtOnce: claimedAtOnce,
        gapMs: stepMs,
        advance,
        send,
        unsent: ({ row, claimed_until }) => outcomeOf(row, claimed_until, undefined),
        isDue,
        inTurn,
        clock,
        log,
      }),
    timesOf: ({ due_at, paused_until }) =>
      due_at === null ? [] : [due_at > (paused_until ?? '') ? due_at : (paused_until as string)],
    graceMs: parts.graceMs,
    close: () => sender.close(),
    log,
    clock,
    everyMs,
  })
}

function outcomeOf({ mail_id, token_hash }: Claimed, claimed_until: string, result: SendResult | undefined): Outcome {
  return { mail_id, claimed_until, token_hash, result, spread: Math.random() }
}

function isDue({ due_at, paused_until }: Work, now: string): boolean {
  return due_at !== null && due_at <= now && (paused_until === null || paused_until <= now)
}

/** Sends messages in a thread of its own, which starts with the first message and ends when none has come for a while. */
import type { Worker } from 'node:worker_threads'
import type { Brand } from '../../../core/brand.ts'
import { threadModule } from '../../../lib/home.ts'
import { keepIdle, startThread } from '../../../store/sqlite/threads.ts'
import type { Templates } from '../templates/templates.ts'
import type { FromSender, SenderConfig, SenderSetup, ToSender, ToThread } from './sender-protocol.ts'
import type { Patience, SendResult } from './smtp.ts'

const program = threadModule('record/mails/sending/sender-thread')
const idleMs = 30_000
/** A few messages at a time; the garbage of thousands would stay in memory for long. */
const resourceLimits = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 32 }

/** The thread ended while the message was with it, so the mail server may have taken it. */
const lost: SendResult = { kind: 'server', error: 'connection_failed', response: null, isUncertain: true }

type Settle = (result: SendResult | undefined) => void

type Thread = { worker: Worker; open: Map<string, Settle>; outbox: ToSender[]; brand: Brand | undefined }

type MailSender = {
  /** Undefined if `close` came before the outcome. */
  send(message: ToSender, brand: Brand): Promise<SendResult | undefined>
  close(): void
}

type SenderParts = {
  config: SenderConfig
  templates: Templates
  patience: Patience | undefined
  onFault(error: Error): void
}

/**
 * Making a message takes up to half a millisecond, during which the main thread would serve no request
 * (docs/decisions/speed.md, 0114).
 */
export function createMailSender({ config, templates, patience, onFault }: SenderParts): MailSender {
  const { smtpUrl, mailFrom, mailDkimKey, mailDkimSelector, publicUrl, mailTimeZone } = config
  const needed = { smtpUrl, mailFrom, mailDkimKey, mailDkimSelector, publicUrl, mailTimeZone }
  const setup: SenderSetup = { config: needed, templates: templates.set, patience }
  let thread: Thread | undefined
  let ending: NodeJS.Timeout | undefined
  let isClosed = false

  function start(): Thread {
    const worker = startThread(program, setup, resourceLimits)
    const started: Thread = { worker, open: new Map(), outbox: [], brand: undefined }
    worker.unref()
    worker.on('message', (results: FromSender) => {
      for (const { mail_id, result } of results) resolvePending(started, mail_id, result)
    })
    worker.once('error', onFault)
    worker.once('exit', () => {
      if (thread === started) thread = undefined
      for (const mail_id of started.open.keys()) resolvePending(started, mail_id, isClosed ? undefined : lost)
    })
    return started
  }

  function resolvePending(from: Thread, mail_id: string, result: SendResult | undefined): void {
    from.open.get(mail_id)?.(result)
    from.open.delete(mail_id)
    if (from === thread && from.open.size === 0) ending ??= setTimeout(end, idleMs).unref()
  }

  /** The messages of a step go to the thread together. */
  function flush({ worker, outbox }: Thread): void {
    worker.postMessage(outbox.splice(0) satisfies ToThread)
  }

  function end(): void {
    clearTimeout(ending)
    ending = undefined
    if (thread !== undefined) endThread(thread)
    thread = undefined
  }

  function endThread({ worker, open }: Thread): void {
    worker.postMessage('end' satisfies ToThread)
    if (open.size > 0 || !keepIdle(program, worker)) void worker.terminate()
  }

  return {
    send(message, brand) {
      if (isClosed) return Promise.resolve(undefined)
      clearTimeout(ending)
      ending = undefined
      thread ??= start()
      const current = thread
      if (current.brand !== brand) {
        current.brand = brand
        current.worker.postMessage({ brand } satisfies ToThread)
      }
      if (current.outbox.push(message) === 1) queueMicrotask(() => flush(current))
      return new Promise((resolve) => {
        current.open.set(message.mail_id, resolve)
      })
    },
    close() {
      isClosed = true
      end()
    },
  }
}

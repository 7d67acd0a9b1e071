/** The thread that makes messages and hands them to the mail server. */
import { existsSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { Brand } from '../../../core/brand.ts'
import { templatesOf } from '../templates/templates.ts'
import { messageOf } from './message.ts'
import type { FromSender, SenderSetup, ToSender, ToThread } from './sender-protocol.ts'
import { createSmtpSender, type SendResult } from './smtp.ts'

/** At most 50 messages per second, so that requests stay fast meanwhile (docs/decisions/speed.md, 0096). */
const messageMs = 20

/** While more are being sent, results are posted together, because each post wakes the main thread. */
const gatherMs = 100
/** Linux has a priority for each thread: requests come first while the processors are busy. */
const [ownThread, niceness] = ['/proc/thread-self', 10]

const port = parentPort as NonNullable<typeof parentPort>
let current: ReturnType<typeof open> | undefined
let brand: Brand | undefined
let nextAt = 0
let openCount = 0
let results: FromSender = []
let posting: NodeJS.Timeout | undefined

if (existsSync(ownThread)) setPriority(Number(basename(readlinkSync(ownThread))), niceness)

port.on('message', (message: ToThread) => {
  if (message === 'end') close()
  else if ('config' in message) current = open(message)
  else if ('brand' in message) brand = usable(message.brand)
  else for (const one of message) void sendInTurn(one, current as NonNullable<typeof current>)
})

function open({ config, templates, patience }: SenderSetup) {
  return { parts: { config, templates: templatesOf(templates) }, sender: createSmtpSender(config, patience) }
}

/** Bytes arrive here as plain arrays of them. */
function usable({ logo, logoDark, ...rest }: Brand): Brand {
  const withBuffer = <File extends { content: Uint8Array }>(file: File) => ({
    ...file,
    content: Buffer.from(file.content),
  })
  return { ...rest, logo: logo && withBuffer(logo), logoDark: logoDark && withBuffer(logoDark) }
}

function close(): void {
  current?.sender.close()
  current = undefined
  nextAt = 0
}

async function sendInTurn(message: ToSender, { parts, sender }: ReturnType<typeof open>): Promise<void> {
  openCount++
  const now = performance.now()
  const at = Math.max(now, nextAt)
  nextAt = at + messageMs
  if (at > now) await sleep(at - now)
  const { mail_id, address, created_at, token, own } = message
  const look = own === undefined ? (brand as Brand) : usable(own)
  const rendered = messageOf(message, token, { ...parts, brand: look })
  const result = await sender.send({ ...rendered, mail_id, address, created_at })
  openCount--
  results.push({ mail_id, result: result && withoutToken(result, token) })
  if (openCount === 0) post()
  else posting ??= setTimeout(post, gatherMs)
}

function post(): void {
  clearTimeout(posting)
  posting = undefined
  port.postMessage(results satisfies FromSender)
  results = []
}

/** Filters quote links that they refuse, and the response is stored: it ends where the token begins, in any spelling. */
function withoutToken(result: SendResult, token: string | undefined): SendResult {
  const { response } = result
  if (response === null || token === undefined) return result
  const at = response.toLowerCase().indexOf(token.slice(0, 6).toLowerCase())
  return at === -1 ? result : { ...result, response: `${response.slice(0, at)}…` }
}

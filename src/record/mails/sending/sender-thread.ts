/** The thread that makes messages and hands them to the mail server. */
import { parentPort, workerData } from 'node:worker_threads'
import type { FromSender, SenderSetup, ToSender } from './sender-protocol.ts'
import { createSmtpSender } from './smtp.ts'

const port = parentPort as NonNullable<typeof parentPort>
const { config, patience } = workerData as SenderSetup
const sender = createSmtpSender(config, patience)

port.on('message', async (message: ToSender) => {
  const result = await sender.send(message)
  port.postMessage({ mail_id: message.mail_id, result } satisfies FromSender)
})

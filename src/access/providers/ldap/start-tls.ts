/**
 * StartTLS (RFC 4511 §4.14) before anything else is sent. By hand, because what arrives together with the response was not
 * protected: a stranger on the path could put the beginning of a message there, which the library would complete with the
 * bytes of the protected connection.
 */
import type { Socket } from 'node:net'
import { LdapFailure } from './failure.ts'

/** Message 1: ExtendedRequest [APPLICATION 23] with requestName [0] 1.3.6.1.4.1.1466.20037. */
const request = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037', 'latin1'),
])
const largestResponse = 4096

/** @throws LdapFailure if the server refuses, or sends more than its response */
export async function askForTls(socket: Socket, timeoutMs: number): Promise<void> {
  const response = Promise.withResolvers<void>()
  let received = Buffer.alloc(0)
  const refuse = (detail: string) => response.reject(new LdapFailure('directory_unreachable', detail))
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const length = messageLength(received)
    if (length === undefined && received.length <= largestResponse) return
    if (length === undefined || length > largestResponse) return refuse('The response to StartTLS is not valid.')
    if (received.length < length) return
    if (received.length > length) return refuse('The server sent more than its response to StartTLS before TLS began.')
    if (!isSuccess(received)) return refuse('The server refuses StartTLS.')
    response.resolve()
  }
  const onEnd = () => refuse('The server ended the connection during StartTLS.')
  const timer = setTimeout(() => refuse('The server did not respond to StartTLS in time.'), timeoutMs)
  socket.on('data', onData).once('close', onEnd).once('error', onEnd)
  socket.write(request)
  try {
    await response.promise
    socket.pause()
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    socket.off('data', onData).off('close', onEnd).off('error', onEnd)
  }
}

/** The size of the first message (BER: tag, length, content). Undefined until its length has arrived. */
function messageLength(bytes: Buffer): number | undefined {
  const header = headerAt(bytes, 0)
  return header && header.start + header.length
}

function headerAt(bytes: Buffer, at: number): { tag: number; start: number; length: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  if (first < 0x80) return { tag, start: at + 2, length: first }
  const count = first & 0x7f
  if (count === 0 || count > 4 || bytes.length < at + 2 + count) return undefined
  return { tag, start: at + 2 + count, length: bytes.readUIntBE(at + 2, count) }
}

/** SEQUENCE { INTEGER 1, [APPLICATION 24] { ENUMERATED 0, … } } */
function isSuccess(bytes: Buffer): boolean {
  const message = headerAt(bytes, 0)
  const id = message && headerAt(bytes, message.start)
  const response = id && headerAt(bytes, id.start + id.length)
  const result = response && headerAt(bytes, response.start)
  return (
    message?.tag === 0x30 &&
    id?.tag === 0x02 &&
    id.length === 1 &&
    bytes[id.start] === 1 &&
    response?.tag === 0x78 &&
    result?.tag === 0x0a &&
    result.length === 1 &&
    bytes[result.start] === 0
  )
}

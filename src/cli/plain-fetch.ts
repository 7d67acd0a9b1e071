/**
 * As much of `fetch` as a long list by plain HTTP needs, on a socket that always reads into the same memory. It takes half
 * of the processor's time of `fetch`, or of `node:http` (docs/decisions/0029). TLS is left to `fetch`.
 */
import { connect, type Socket } from 'node:net'

const bufferBytes = 256 * 1024
const longestHead = 64 * 1024
const headEnd = '\r\n\r\n'

type Head = { status: number; headers: Headers; rest: Buffer }
type Piece = { done: false; value: Uint8Array } | { done: true; value: undefined }

/** What a reader gets is valid until it asks for more. */
export const plainFetch = (async (url: string, { headers, signal }: RequestInit = {}) => {
  const { hostname, port, pathname, search, host } = new URL(url)
  const bytes = openSocket(hostname.replace(/^\[|\]$/g, ''), Number(port || 80), signal ?? undefined)
  const sent = new Headers(headers)
  sent.set('host', host)
  sent.set('connection', 'close')
  const lines = [...sent].map(([name, value]) => `${name}: ${value}\r\n`)
  bytes.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const head = await readHead(bytes).catch((error) => {
    bytes.close()
    throw error
  })
  const body = bodyOf(head, bytes)
  return {
    status: head.status,
    ok: head.status >= 200 && head.status < 300,
    headers: head.headers,
    body: { getReader: () => ({ read: () => body.next() as Promise<Piece> }) },
    async text() {
      let text = ''
      for await (const piece of body) text += Buffer.from(piece).toString('latin1')
      return Buffer.from(text, 'latin1').toString()
    },
  }
}) as unknown as typeof fetch

type Bytes = { write(text: string): void; next(): Promise<Buffer | undefined>; close(): void }

/** The bytes of a connection as they come, undefined at its end; nothing is read before it is asked for. */
function openSocket(host: string, port: number, signal: AbortSignal | undefined): Bytes {
  let ready: Buffer | undefined
  let isOver = false
  let fault: Error | undefined
  let wake: (() => void) | undefined
  const buffer = Buffer.alloc(bufferBytes)
  const socket: Socket = connect({
    host,
    port,
    onread: {
      buffer,
      callback(length) {
        ready = buffer.subarray(0, length)
        wake?.()
        return false
      },
    },
  })
  socket.on('error', (error) => {
    fault ??= error
  })
  socket.on('end', over).on('close', over)
  function over(): void {
    isOver = true
    wake?.()
  }
  const abort = () => socket.destroy(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return {
    write: (text) => void socket.write(text, 'latin1'),
    async next() {
      if (ready === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve
          socket.resume()
        })
      }
      const bytes = ready
      ready = undefined
      if (bytes === undefined && fault) throw fault
      return bytes
    },
    close() {
      signal?.removeEventListener('abort', abort)
      socket.destroy()
    },
  }
}

async function readHead(bytes: Bytes): Promise<Head> {
  let begun: Buffer = Buffer.alloc(0)
  for (;;) {
    const more = await bytes.next()
    if (more === undefined) throw cut()
    begun = Buffer.concat([begun, more])
    const end = begun.indexOf(headEnd)
    if (end < 0 && begun.length > longestHead) throw new Error('The answer is not HTTP.')
    if (end < 0) continue
    const [first = '', ...lines] = begun.toString('latin1', 0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error('The answer is not HTTP.')
    begun = begun.subarray(end + headEnd.length)
    if (status < 200) continue
    const headers = new Headers()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    return { status, headers, rest: begun }
  }
}

async function* bodyOf({ headers, rest }: Head, bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  const length = headers.get('content-length')
  try {
    if (headers.get('transfer-encoding') !== null) yield* chunked(rest, bytes)
    else yield* upTo(length === null ? undefined : Number(length), rest, bytes)
  } finally {
    bytes.close()
  }
}

async function* upTo(
  length: number | undefined,
  rest: Buffer,
  bytes: Bytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = length ?? Number.POSITIVE_INFINITY
  for (let some: Buffer | undefined = rest; left > 0; some = await bytes.next()) {
    if (some === undefined && length === undefined) return
    if (some === undefined) throw cut()
    const piece = some.subarray(0, left)
    left -= piece.length
    if (piece.length > 0) yield piece
  }
}

/** RFC 9112 §7.1. What stands behind the last chunk is of no interest: the connection ends there. */
async function* chunked(rest: Buffer, bytes: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  let sizeLine = ''
  let left = 0
  for (let some: Buffer | undefined = rest; ; some = await bytes.next()) {
    if (some === undefined) throw cut()
    for (let at = 0; at < some.length; ) {
      if (left > 0) {
        const piece = some.subarray(at, at + left)
        left -= piece.length
        at += piece.length
        yield piece
        continue
      }
      const end = some.indexOf('\n', at)
      sizeLine += some.toString('latin1', at, end < 0 ? some.length : end)
      at = end < 0 ? some.length : end + 1
      if (sizeLine.length > 1024) throw new Error('The answer is not HTTP.')
      // Before each size but the first stands the end of the line of the chunk before.
      if (end < 0 || sizeLine.trim() === '') {
        if (end >= 0) sizeLine = ''
        continue
      }
      const size = /^\s*([0-9a-f]{1,12})\s*(;.*)?$/i.exec(sizeLine)?.[1]
      if (size === undefined) throw new Error('The answer is not HTTP.')
      sizeLine = ''
      left = Number.parseInt(size, 16)
      if (left === 0) return
    }
  }
}

function cut(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
}

/** Sends a request of the page and reads at most the beginning of the response. */

/** The longest response shown. A list of a million users is not readable in a tab, and holding it could crash the tab. */
const shownBytes = 1_048_576
const cutNote = '\n\n… The rest is not shown here: set `limit`, or use the curl command in a terminal.\n'
/** How often a response that is still arriving is shown. */
const shownEveryMs = 200

export type Answer = {
  status: number
  contentType: string
  headers: readonly (readonly [name: string, value: string])[]
  text: string
  /** Until the first byte of the response. */
  ms: number
  state: 'arriving' | 'whole' | 'cut' | 'stopped'
}

/**
 * Calls `show` with the response as it arrives, at last with its final state.
 *
 * @throws TypeError if there is no response
 */
export async function send(
  { url, init }: { url: string; init: RequestInit },
  signal: AbortSignal,
  show: (received: Answer) => void,
): Promise<void> {
  const start = performance.now()
  const response = await fetch(url, { ...init, signal })
  const received: Answer = {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    headers: [...response.headers],
    text: '',
    ms: performance.now() - start,
    state: 'arriving',
  }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const read = () => new Blob(chunks).text()
  const reader = response.body?.getReader()
  let bytes = 0
  let shownAt = start
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.length
      if (bytes > shownBytes) {
        await reader.cancel()
        const text = await new Blob(chunks).slice(0, shownBytes).text()
        show({ ...received, text: text.slice(0, text.lastIndexOf('\n') + 1 || undefined) + cutNote, state: 'cut' })
        return
      }
      if (performance.now() - shownAt < shownEveryMs) continue
      shownAt = performance.now()
      show({ ...received, text: await read() })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    show({ ...received, text: await read(), state: 'stopped' })
    return
  }
  show({ ...received, text: await read(), state: 'whole' })
}

/** JSON indented; anything else, and JSON that was cut, unchanged. */
export function readable({ text, contentType, state }: Answer): string {
  if (state !== 'whole' || /ndjson|event-stream/.test(contentType) || !/json/.test(contentType)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

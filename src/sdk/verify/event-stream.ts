/** Reads server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation says. */

export type ServerEvent = { type: string; data: string }

const longestEvent = 64 * 1024

/** Returns a function that takes the text of the stream in chunks, and calls `onEvent` with each complete event. */
export function eventReader(onEvent: (event: ServerEvent) => void): (text: string) => void {
  let rest = ''
  let [type, data] = ['', [] as string[]]

  function readLine(line: string): void {
    if (line === '') {
      if (data.length > 0) onEvent({ type: type || 'message', data: data.join('\n') })
      type = ''
      data = []
      return
    }
    // A line that begins with a colon is a comment, which parses as a field without a name.
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray
    if (field === 'event') type = value
    else if (field === 'data') data.push(value)
  }

  return (text) => {
    rest += text
    // A carriage return at the end may be the first half of CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() as string
    for (const line of lines) readLine(line)
    const size = data.reduce((sum, line) => sum + line.length, rest.length)
    if (size > longestEvent) throw new Error(`An event is longer than ${longestEvent} characters.`)
  }
}

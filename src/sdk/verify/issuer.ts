/** Sends requests to Rollbook, without redirects, and with limits on time and size. */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>
/** An API key with `tokens:introspect`, or a function that returns one, so that it can be rotated. */
export type Key = string | (() => string | Promise<string>)

export type Issuer = {
  /** The `iss` of tokens. */
  readonly name: string
  get(path: string, init?: RequestInit): Promise<Response>
  /** Sends a request with the API key. @throws Error if there is no key */
  request(path: string, init?: RequestInit): Promise<Response>
  readonly hasKey: boolean
}

const answerMs = 3000

export type IssuerOptions = { name: string; url: string; key: Key | undefined; fetch: Fetch }

export function issuerAt({ name, url, key, fetch }: IssuerOptions): Issuer {
  async function get(path: string, init: RequestInit = {}): Promise<Response> {
    // A redirect would send the key to another host, or let that host respond.
    const response = await fetch(url + path, {
      signal: AbortSignal.timeout(answerMs),
      ...init,
      redirect: 'error',
    }).catch((cause) => {
      const reason = cause.cause?.code ?? cause.cause?.message
      throw reason === undefined ? cause : new Error(`${url} did not respond: ${reason}.`, { cause })
    })
    if (response.status === 200) return response
    await response.body?.cancel()
    const hint =
      response.status === 404 ? ' Check the URL: it must end in the base path of Rollbook, such as /auth.' : ''
    throw new Error(`${url} responded to ${path} with ${response.status}.${hint}`)
  }
  return {
    name,
    get,
    hasKey: key !== undefined,
    async request(path, init = {}) {
      const secret = typeof key === 'function' ? await key() : key
      if (typeof secret !== 'string' || secret === '')
        throw new Error('The option key is missing: Rollbook cannot be asked without an API key.')
      return get(path, { ...init, headers: { ...(init.headers as Record<string, string>), 'x-api-key': secret } })
    },
  }
}

/** Returns a JSON object. `limit` is in bytes. @throws Error if the body is longer or is not a JSON object */
export async function readJson(response: Response, limit = 64 * 1024): Promise<Record<string, unknown>> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, size] = ['', 0]
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the response.
    if (size > limit) throw new Error(`The response is longer than ${limit} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  const value: unknown = JSON.parse(text + decoder.decode())
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The response is not a JSON object.')
  return value as Record<string, unknown>
}

/** Checks the URL of Rollbook. Over plain HTTP, anyone on the network path could read keys and forge responses. */
export function readBaseUrl(text: string, { allowHttp = false }: { allowHttp?: boolean | undefined } = {}): string {
  if (!URL.canParse(text))
    throw new TypeError('The URL of Rollbook must be complete, such as https://orchard.example.com/auth.')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('The URL of Rollbook must not have a user, a query or a fragment.')
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (allowHttp || isLoopback))) {
    throw new TypeError('The URL of Rollbook must use https; http is allowed only on loopback, or with allowHttp.')
  }
  return text.replace(/\/+$/, '')
}

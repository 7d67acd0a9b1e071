/** Which headers of the product's response reach the browser. */
import { listed } from './request-headers.ts'

const ofThatHop = ['connection', 'keep-alive', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade']

type Passed = Record<string, string | string[] | undefined>
type Options = { upstream: string; cookieNames: readonly string[] }

/** @param headers each with all its values, because some may not be joined */
export function headersForBrowser(headers: NodeJS.Dict<string[]>, { upstream, cookieNames }: Options): Passed {
  // Our request id appears in both logs.
  const dropped = new Set([...ofThatHop, ...listed(headers.connection?.join()), 'x-request-id'])
  // First: Node changes the encoding of one that follows a Content-Length.
  const passed: Passed = { 'content-disposition': undefined }
  for (const [name, values = []] of Object.entries(headers)) {
    if (dropped.has(name)) continue
    const passedValues = name === 'set-cookie' ? values.filter((cookie) => !sets(cookie, cookieNames)) : values
    if (passedValues.length > 0) passed[name] = passedValues.length === 1 ? passedValues[0] : passedValues
  }
  if (passed['content-disposition'] === undefined) delete passed['content-disposition']
  // An absolute link to an address that only we can reach.
  const { location } = passed
  if (typeof location !== 'string') return passed
  if (location.startsWith(`${upstream}/`)) passed.location = location.slice(upstream.length)
  else if (location === upstream) passed.location = '/'
  return passed
}

/**
 * Whether this would set a cookie with one of the names: a product, or an attacker in it, must not sign users in under
 * another name. Browsers send a cookie without a name, `=rollbook=…`, as `rollbook=…`.
 */
function sets(cookie: string, names: readonly string[]): boolean {
  const [pair = ''] = cookie.replace(/^[\s=]+/, '').split(';')
  const name = (pair.split('=', 1)[0] as string).trim().toLowerCase()
  return names.some((one) => one.toLowerCase() === name)
}

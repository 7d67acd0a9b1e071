/** A browser without scripts: it keeps cookies, and sends forms. */
import type { Answer, Started } from './harness.ts'
import { cookiesOf } from './people.ts'

const origin = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }

export function plainBrowser(app: Started) {
  const jar = new Map<string, string>()
  const remember = (response: Answer): Answer => {
    for (const pair of cookiesOf(response).split('; ')) {
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (name !== '') jar.set(name, value)
    }
    return response
  }
  const cookie = () => [...jar].map((pair) => pair.join('=')).join('; ')
  return {
    get: async (path: string) => remember(await app.call('GET', path, { key: null, headers: { cookie: cookie() } })),
    post: async (path: string, fields: Record<string, string>) =>
      remember(
        await app.call('POST', path, {
          key: null,
          headers: { ...origin, cookie: cookie() },
          body: new URLSearchParams(fields).toString(),
        }),
      ),
  }
}

export const fieldIn = ({ text }: Answer, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

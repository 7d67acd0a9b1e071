import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

// The browser globals that these files need.
Object.assign(globalThis, { window: new EventTarget() })
const { QueryClient, QueryObserver } = await import('@tanstack/react-query')
const { noteAnswer, setWeather, weatherNow } = await import('./weather.ts')
const { confirming } = await import('./confirm.ts')

const refused = Object.defineProperty(new Response(null, { status: 401 }), 'url', {
  value: 'https://a.example/auth/me',
})

describe('a page whose session has ended', () => {
  it('sends no requests by itself, and continues after another sign-in', async (t) => {
    let requestCount = 0
    const client = new QueryClient()
    const request = async () => {
      requestCount += 1
      return requestCount
    }
    const poll = new QueryObserver(client, { queryKey: ['poll'], queryFn: request, refetchInterval: 2, gcTime: 0 })
    t.after(poll.subscribe(() => {}))
    const asksAgain = async () => {
      for (const before = requestCount; requestCount === before; ) await sleep(1)
    }
    await asksAgain()

    noteAnswer(refused, 'GET')
    await sleep(20)
    const before = requestCount
    await sleep(100)
    assert.equal(requestCount, before)

    setWeather({ isSignedOut: false })
    await asksAgain()
  })

  it('sends a change again after another sign-in, and no change that was refused', async () => {
    const sent: string[] = []
    const failing = (code: string) => Object.assign(new Error(code), { name: 'RollbookError', code })
    const change = (code: string) =>
      confirming(async () => {
        sent.push(code)
        if (sent.filter((one) => one === code).length === 1) throw failing(code)
        return 'saved'
      })
    const saved = change('credential_invalid')
    await sleep(5)
    assert.deepEqual([sent, weatherNow().isSignedOut], [['credential_invalid'], true])
    setWeather({ isSignedOut: false })
    assert.equal(await saved, 'saved')
    assert.deepEqual(sent, ['credential_invalid', 'credential_invalid'])
    await assert.rejects(change('sign_in_failed'), { message: 'sign_in_failed' })
    assert.equal(weatherNow().isSignedOut, false)
  })
})

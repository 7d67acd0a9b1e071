import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

// The browser globals that these files need.
Object.assign(globalThis, { window: new EventTarget() })
const { QueryClient, QueryObserver } = await import('@tanstack/react-query')
const { noteAnswer, setWeather } = await import('./weather.ts')

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
})

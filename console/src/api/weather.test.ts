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
    let asked = 0
    const client = new QueryClient()
    const ask = async () => {
      asked += 1
      return asked
    }
    const poll = new QueryObserver(client, { queryKey: ['poll'], queryFn: ask, refetchInterval: 2, gcTime: 0 })
    t.after(poll.subscribe(() => {}))
    const asksAgain = async () => {
      for (const before = asked; asked === before; ) await sleep(1)
    }
    await asksAgain()

    noteAnswer(refused, 'GET')
    await sleep(20)
    const before = asked
    await sleep(100)
    assert.equal(asked, before)

    setWeather({ isSignedOut: false })
    await asksAgain()
  })
})

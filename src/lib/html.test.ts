import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from './html.ts'

describe('html', () => {
  it('escapes every text, in content and in attributes', () => {
    const text = `<script>alert('1')</script>" onfocus="x" &amp;`
    const { text: written } = html`<p title="${text}">${text}</p>`
    const escaped = '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onfocus=&quot;x&quot; &amp;amp;'
    assert.equal(written, `<p title="${escaped}">${escaped}</p>`)
  })

  it('inserts HTML unescaped, and nothing for undefined', () => {
    assert.equal(html`<p>${html`<b>${'&'}</b>`}${undefined}</p>`.text, '<p><b>&amp;</b></p>')
  })

  it('does not accept an object that only looks like Html', () => {
    const disguised = JSON.parse('{"text":"<b>"}')
    assert.throws(() => html`${disguised}`)
  })
})

/** The request of an operation in four forms, with the values that are entered. */
import { useId, useMemo, useState } from 'react'
import type { ApiCall } from '../api/call.ts'
import { cliOf } from '../api-call/cli.ts'
import { curlOf } from '../api-call/curl.ts'
import { operations } from '../api-call/operations.ts'
import { pythonOf } from '../api-call/python.ts'
import { randomKey } from '../api-call/random-key.ts'
import { sdkOf, sdkOpening } from '../api-call/sdk.ts'
import { Code } from './code.tsx'

const forms = ['curl', 'SDK', 'CLI', 'Python'] as const
export type ExampleForm = (typeof forms)[number]

type Props = {
  call: ApiCall
  api: string
  /** Chosen once for the whole page. */
  form: ExampleForm
  onForm: (form: ExampleForm) => void
}

export function Examples({ call, api, form, onForm }: Props) {
  const id = useId()
  const [idempotencyKey] = useState(randomKey)
  const { needs } = operations[call.operation]
  const text = useMemo(
    () => exampleText(form, call, { apiUrl: api, idempotencyKey }),
    [form, call, api, idempotencyKey],
  )
  return (
    <section className="examples" aria-label="Request in other forms">
      <div className="tabs" role="tablist" aria-label="Form of the request">
        {forms.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}`}
            aria-selected={one === form}
            aria-controls={`${id}-panel`}
            tabIndex={one === form ? 0 : -1}
            onClick={() => onForm(one)}
            onKeyDown={({ key, currentTarget }) => {
              const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
              const next = forms[(forms.indexOf(one) + step + forms.length) % forms.length] as ExampleForm
              if (step === 0) return
              onForm(next)
              currentTarget.parentElement?.querySelector<HTMLElement>(`[id$="-${next}"]`)?.focus()
            }}
          >
            {one}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${form}`}>
        <Code text={text} label={`The request as ${form}`} />
        {needs !== 'public' && (
          <p className="hint">
            {form === 'CLI' ? (
              <>
                The command reads the address from <code>ROLLBOOK_URL</code> and the key from{' '}
                <code>ROLLBOOK_API_KEY</code>.
              </>
            ) : (
              <>
                The {needs === 'user' ? 'access token' : 'key'} is in the variable{' '}
                <code>{needs === 'user' ? 'ROLLBOOK_TOKEN' : 'ROLLBOOK_API_KEY'}</code>.
              </>
            )}
          </p>
        )}
      </div>
    </section>
  )
}

function exampleText(form: ExampleForm, call: ApiCall, place: { apiUrl: string; idempotencyKey: string }): string {
  const isUser = operations[call.operation].needs === 'user'
  switch (form) {
    case 'curl':
      return curlOf(call, place)
    case 'SDK':
      return `${sdkOpening(place.apiUrl, { isUser })}\n\n${sdkOf(call)}`
    case 'CLI':
      return cliOf(call)
    case 'Python':
      return pythonOf(call, place)
  }
}

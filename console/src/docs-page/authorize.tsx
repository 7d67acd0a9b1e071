import { type FormEvent, type RefObject, useState } from 'react'
import { type Credential, credentialFrom } from './form.ts'

type Props = {
  dialog: RefObject<HTMLDialogElement | null>
  credential: Credential | undefined
  /** Held in memory only: a key in the browser's storage would outlive the visit. */
  onChange: (credential: Credential | undefined) => void
}

/** The field that has the focus whenever the dialog opens; React's autoFocus is for the first time only. */
const hasAutofocus = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '')

/** One field for the credentials that the API accepts. */
export function AuthorizeDialog({ dialog, credential, onChange }: Props) {
  const [text, setText] = useState('')
  const isKey = credential?.header === 'X-API-Key'
  const close = () => dialog.current?.close()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(credentialFrom(text))
    setText('')
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it; the keyboard has Escape.
    <dialog
      ref={dialog}
      className="dialog-ux"
      aria-labelledby="authorize-title"
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <div className="modal-ux">
        <div className="modal-ux-header">
          <h2 id="authorize-title">Authorize</h2>
          <button type="button" className="close-modal quiet-button" aria-label="Close" onClick={close}>
            ✕
          </button>
        </div>
        <div className="modal-ux-content auth-container">
          {credential === undefined ? (
            <form onSubmit={submit}>
              <label htmlFor="api_key_value">API key or access token</label>
              <input
                ref={hasAutofocus}
                id="api_key_value"
                className="secret"
                type="text"
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                aria-describedby="authorize-hint"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
              <p id="authorize-hint" className="hint">
                A key is sent as <code>X-API-Key</code>, an access token as <code>Authorization: Bearer</code>. This
                page forgets it when you leave.
              </p>
              <div className="auth-btn-wrapper">
                <button type="button" className="btn btn-done" onClick={close}>
                  Close
                </button>
                <button type="submit" className="btn primary authorize" disabled={text.trim() === ''}>
                  Authorize
                </button>
              </div>
            </form>
          ) : (
            <>
              <h3>Authorized</h3>
              <p className="hint">
                Every request is sent with {isKey ? 'this API key' : 'this access token'} as{' '}
                <code>{isKey ? 'X-API-Key' : 'Authorization: Bearer'}</code>. The first response shows whether it is
                valid.
              </p>
              <div className="auth-btn-wrapper">
                <button type="button" className="btn" onClick={() => onChange(undefined)}>
                  Logout
                </button>
                {/* biome-ignore lint/a11y/noAutofocus: the field that had the focus is gone. */}
                <button type="button" className="btn btn-done primary" autoFocus onClick={close}>
                  Close
                </button>
              </div>
            </>
          )}
        </div>
      </div>
    </dialog>
  )
}

/**
 * A button that shows the requests of an action as curl, command line and SDK. A page has one, in its heading: in the
 * parts of a page this adds their requests to it instead.
 */
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { ApiCall } from '../api/call.ts'
import { type AddCalls, PageCalls } from '../api/page-calls.ts'
import { IconCode } from '../ui/icons.tsx'
import styles from './button.module.css'

const Drawer = lazy(() => import('./drawer.tsx'))

type Props = {
  /** Several if one thing on the page takes several requests. */
  calls: readonly ApiCall[]
  size?: 'xs' | 'sm'
}

let closeOpenPanel: (() => void) | undefined

// The panel can lie over a dialog, which also listens for Escape. The first listener runs first.
window.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || event.isComposing || closeOpenPanel === undefined) return
    event.stopImmediatePropagation()
    closeOpenPanel()
  },
  { capture: true },
)

export function ApiCallButton(props: Props) {
  const add = useContext(PageCalls)
  return add === undefined ? <OwnButton {...props} /> : <Part {...props} add={add} />
}

function Part({ calls, add }: Props & { add: AddCalls }) {
  const id = useId()
  const written = JSON.stringify(calls)
  useLayoutEffect(() => add(id, JSON.parse(written)), [add, id, written])
  useLayoutEffect(() => () => add(id, undefined), [add, id])
  return null
}

function OwnButton({ calls, size = 'sm' }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  // Stays mounted after it was opened, so that it can close with its animation.
  const [wasOpened, setWasOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    closeOpenPanel = () => setIsOpen(false)
    return () => {
      closeOpenPanel = undefined
      button.current?.focus({ preventScroll: true })
    }
  }, [isOpen])
  return (
    <>
      <Button
        ref={button}
        className={styles.button ?? ''}
        size={size}
        variant="default"
        leftSection={<IconCode size={16} />}
        onClick={() => {
          setWasOpened(true)
          setIsOpen(true)
        }}
      >
        <span>
          <Trans>API</Trans>
        </span>
      </Button>
      {wasOpened && (
        <Suspense fallback={null}>
          <Drawer calls={calls} isOpen={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** A button that opens a panel: beside it, or at the bottom of a phone. The browser closes it. */

import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useId, useRef, useState } from 'react'
import { IconClose } from '../../ui/icons.tsx'
import styles from './panel.module.css'

type Props = {
  label: string
  icon: ReactNode
  /** How many choices in it are active. */
  count?: number
  /** Rendered again each time it opens. `close` closes the panel. */
  children: (close: () => void) => ReactNode
}

const gap = 6

export function Panel({ label, icon, count = 0, children }: Props) {
  const { t } = useLingui()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => {
    panel.current?.hidePopover()
    button.current?.focus()
  }
  function place() {
    const box = button.current?.getBoundingClientRect()
    const element = panel.current
    if (box === undefined || element === null) return
    const isRtl = document.documentElement.dir === 'rtl'
    const left = isRtl ? box.left : box.right - element.offsetWidth
    const most = window.innerWidth - element.offsetWidth - gap
    element.style.setProperty('--panel-left', `${Math.max(gap, Math.min(left, most))}px`)
    element.style.setProperty('--panel-top', `${box.bottom + gap}px`)
  }
  return (
    <>
      <Button
        ref={button}
        variant="default"
        leftSection={icon}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={styles.button ?? ''}
      >
        <span className={styles.label}>{label}</span>
        {count > 0 && (
          <span className={styles.count}>
            {count}
            <span className="visually-hidden">
              {' '}
              <Trans>chosen</Trans>
            </span>
          </span>
        )}
      </Button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={styles.panel}
        onToggle={({ newState }) => {
          setIsOpen(newState === 'open')
          if (newState === 'open') place()
        }}
      >
        <header className={styles.head}>
          <h2>{label}</h2>
          <button type="button" className={styles.close} aria-label={t`Close`} onClick={close}>
            <IconClose />
          </button>
        </header>
        {isOpen && children(close)}
      </div>
    </>
  )
}

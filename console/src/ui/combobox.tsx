/** A field that finds records by name: a combobox with a list of results, as in WAI-ARIA. */
import { TextInput } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import styles from './combobox.module.css'

export type Choice = { id: string; name: string; note?: string | undefined }

type Props<One extends Choice> = {
  label: string
  /** For a row of fields, whose columns speak for themselves. */
  isLabelHidden?: boolean
  description?: string | undefined
  placeholder?: string
  error?: ReactNode
  required?: boolean
  hasAutofocus?: boolean
  text: string
  onText: (text: string) => void
  /** What matches the text. The results of an earlier text must not be among them: Enter would pick the wrong one. */
  choices: readonly One[]
  onPick: (choice: One) => void
  /** Said below the field while it is open and nothing matches. */
  none?: ReactNode
  /** Also lists choices before anything is typed. */
  opensEmpty?: boolean
  /** In a dialog, which would cut off a list that covers what is below. */
  isInFlow?: boolean
}

export function Combobox<One extends Choice>(props: Props<One>) {
  const { label, text, onText, choices, onPick, none, opensEmpty = false, hasAutofocus = false } = props
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [activeId, setActiveId] = useState<string>()
  const isTyped = text.trim() !== ''
  // Enter picks the first result of a search, but nothing that was only offered.
  const active = choices.find((choice) => choice.id === activeId) ?? (isTyped ? choices[0] : undefined)
  const isWanted = isOpen && (isTyped || opensEmpty)
  const isShown = isWanted && choices.length > 0

  function pick(choice: One) {
    setIsOpen(false)
    setActiveId(undefined)
    onPick(choice)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const at = active === undefined ? -1 : choices.indexOf(active)
    const isMove = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (isMove && !isShown) setIsOpen(true)
    else if (!isShown) return
    else if (event.key === 'ArrowDown') setActiveId(choices[(at + 1) % choices.length]?.id)
    else if (event.key === 'ArrowUp') setActiveId(choices.at(at <= 0 ? -1 : at - 1)?.id)
    else if (event.key === 'Enter' && active !== undefined) pick(active)
    else if (event.key === 'Escape') {
      // Closes the list, and not the dialog around it.
      event.stopPropagation()
      setIsOpen(false)
    } else return
    event.preventDefault()
  }
  return (
    <div className={styles.combobox} data-in-flow={props.isInFlow || undefined}>
      <TextInput
        {...(props.isLabelHidden ? { 'aria-label': label } : { label })}
        description={props.description}
        placeholder={props.placeholder}
        error={props.error}
        required={props.required ?? false}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active ? `${id}-${active.id}` : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        {...(hasAutofocus && { 'data-autofocus': true })}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value)
          setIsOpen(true)
          setActiveId(undefined)
        }}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={label} hidden={!isShown} className={styles.choices}>
        {choices.map((choice) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
          <div
            key={choice.id}
            id={`${id}-${choice.id}`}
            role="option"
            aria-selected={choice === active}
            // The field keeps the focus until the click.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(choice)}
          >
            <bdi>{choice.name}</bdi>
            {choice.note && <bdi className={styles.note}>{choice.note}</bdi>}
          </div>
        ))}
      </div>
      {isWanted && choices.length === 0 && none && (
        // Its buttons are pressed before the field loses the focus.
        <div className={styles.none} onPointerDown={(event) => event.preventDefault()}>
          {none}
        </div>
      )}
    </div>
  )
}

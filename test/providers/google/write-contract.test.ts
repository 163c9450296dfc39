/** The Google adapter, held to what writing is with every provider. */
import { eventWritingContract } from '../../contract/event-writing.contract.ts';
import { openGoogleWriting } from './google-writing.ts';

eventWritingContract({ name: 'the sandbox’s Google', open: () => openGoogleWriting() });

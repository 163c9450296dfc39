import { providerScenarios } from '../contract/provider-scenarios.contract.ts';
import { CYRUS_TARGET } from './provider-targets.ts';

providerScenarios(CYRUS_TARGET);

import { providerScenarios } from '../contract/provider-scenarios.contract.ts';
import { XANDIKOS_TARGET } from './provider-targets.ts';

providerScenarios(XANDIKOS_TARGET);
